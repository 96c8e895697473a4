"""Extension modules, one per package with compiled code; import modules by their own names."""
