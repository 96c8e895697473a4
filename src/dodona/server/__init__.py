"""Dodona in the browser: pages, and what they ask the server (the extra `server`)."""
