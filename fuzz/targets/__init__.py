"""The ways into Dodona, a module each with its `TARGET`."""
