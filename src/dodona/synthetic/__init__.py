"""An invented language, and treebanks of it: for demos, tests and benches."""
