"""The papers: one module or package each, with a `PAPER` for `dodona experiment`."""
