"""The papers, one module or folder each."""
