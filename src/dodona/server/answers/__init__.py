"""Writers of the answers to requests."""
