"""The endpoints of the server."""
