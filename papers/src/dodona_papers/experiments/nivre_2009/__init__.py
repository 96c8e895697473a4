"""Nivre, Kuhlmann & Hall (2009): eager and lazy oracles for the swap system."""

from dodona_papers.experiments.nivre_2009.experiment import PAPER

__all__ = ["PAPER"]
