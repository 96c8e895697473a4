"""Networks of many languages, trained side by side in one program for a GPU."""
