"""Files of the repository that are not part of the package."""

from pathlib import Path

ROOT = Path(__file__).parents[2]
LINEAR = ROOT / "models" / "en-linear.dodona"  # a linear model that reads raw text
