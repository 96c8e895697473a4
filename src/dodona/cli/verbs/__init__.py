"""What `dodona` can do, one module a verb."""
