"""Languages: their codes and names, and the language of a text."""
