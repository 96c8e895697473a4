"""Readers of requests."""
