"""Nivre, Kuhlmann & Hall (2009): eager and lazy oracles for the swap system."""

from dodona.experiments.papers.nivre_2009.experiment import PAPER

__all__ = ["PAPER"]
