"""Brown clusters."""
