"""Model files, atomic writes, and resumable steps."""
