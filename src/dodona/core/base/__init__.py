"""What the rooms of the core share: nodes, hashes, random numbers, the innermost loops."""
