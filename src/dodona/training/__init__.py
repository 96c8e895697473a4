"""The training loop, its checkpoints, and folds; `neural` trains networks."""
