"""Aufrant, Wisniewski & Yvon (2017): global dynamic oracles for training with beams."""

from dodona_papers.experiments.aufrant_2017.experiment import PAPER

__all__ = ["PAPER"]
