"""The compiled modules of each room as one; import them by their own names, from their rooms."""
