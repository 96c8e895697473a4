"""What everything that learns shares."""
