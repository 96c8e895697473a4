"""Models of many languages from a folder of treebanks and raw text: `make languages`."""
