"""The same for networks, which need JAX: this is imported when one is asked for."""

from __future__ import annotations

from dodona.neural.training import NeuralTrainer
from dodona.pipeline.text import TextPipeline

__all__ = ["NeuralTextTrainer", "NeuralTrainer"]


class NeuralTextTrainer(TextPipeline, NeuralTrainer):
    """Trains the segmenter, then a network for tags, lemmas and trees."""
