"""Runs over files: a corpus in, tables of trees out, resumable and checked."""
