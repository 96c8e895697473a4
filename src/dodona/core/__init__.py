"""The core, compiled: integers only; no file, no text, and nothing of ours from above."""
