"""What was learned: growing while it is trained, packed for parsing."""
