"""The compiled modules of each package as one extension; import them by their own names."""
