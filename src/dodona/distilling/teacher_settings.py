"""Settings of the training of a teacher."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class TeacherSettings:
    """Settings of the training of a teacher.

    >>> TeacherSettings(epochs=0)
    Traceback (most recent call last):
    ValueError: epochs, width, layers and batch_words of a teacher are above 0
    """

    encoder: str = ""  # folder or name of a pretrained transformer; "": none
    epochs: int = 30
    width: int = 400  # of an LSTM, in each direction
    layers: int = 3
    batch_words: int = 5000
    learning_rate: float = 0.0015
    encoder_rate: float = 0.0001  # the encoder's learning rate: it has learned before
    dropout: float = 0.33
    longest: int = 160  # sentences with more words are skipped
    seed: int = 1

    def __post_init__(self) -> None:
        if min(self.epochs, self.width, self.layers, self.batch_words) < 1:
            raise ValueError("epochs, width, layers and batch_words of a teacher are above 0")
        if not 0 <= self.dropout < 1:
            raise ValueError("dropout of a teacher is below 1")
        if not 0 < min(self.learning_rate, self.encoder_rate) <= 1:
            raise ValueError("learning rates of a teacher are above 0, and at most 1")
