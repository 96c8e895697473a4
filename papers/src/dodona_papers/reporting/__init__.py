"""Summaries, tables, plots and reports of results."""
