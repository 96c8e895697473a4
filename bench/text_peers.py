"""Train the pipelines of UDPipe 1 and spaCy on a treebank, for comparison.

    python bench/text_peers.py udpipe --data DIR --treebank en_ewt -o out/peers/en_ewt.udpipe
    python bench/text_peers.py spacy --data DIR --treebank en_ewt -o out/peers/en_ewt.spacy

Both are trained from raw text to tokens, tags, features, lemmas and trees with their default
options, except for the number of passes, which are flags: with UDPipe's defaults (100 epochs for
the tokeniser, 20 and 30 iterations for tagger and parser) a large treebank takes many hours.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Annotated, Any

import typer
from measure import Data
from peers import udpipe_sentences

app = typer.Typer(add_completion=False)

Treebank = Annotated[str, typer.Option(help="The treebank's folder in it.")]
Out = Annotated[Path, typer.Option("-o", help="Output model.")]

# the components of our models, without vectors
SPACY_PIPES = ["tok2vec", "tagger", "morphologizer", "trainable_lemmatizer", "parser"]
SPACY_SENTENCES = 10  # sentences per document, so that the parser learns sentence boundaries


@app.command()
def udpipe(
    data: Data,
    out: Out,
    treebank: Treebank = "en_ewt",
    tokeniser_epochs: Annotated[int, typer.Option(help="Epochs of the tokeniser.")] = 100,
    tagger_iterations: Annotated[int, typer.Option(help="Iterations of the tagger.")] = 20,
    parser_iterations: Annotated[int, typer.Option(help="Iterations of the parser.")] = 30,
) -> None:
    """Train UDPipe 1."""
    from ufal.udpipe import ProcessingError, Sentences, Trainer

    def load(part: str) -> Any:
        sentences = Sentences()
        for sentence in udpipe_sentences(data / treebank / f"{part}.conllu"):
            sentences.append(sentence)
        return sentences

    error, begin = ProcessingError(), time.perf_counter()
    trained = Trainer.train(
        "morphodita_parsito",
        load("train"),
        load("dev"),
        f"epochs={tokeniser_epochs}",
        f"iterations={tagger_iterations}",
        f"iterations={parser_iterations}",
        error,
    )
    if error.occurred():
        raise ValueError(f"UDPipe: {error.message}")
    out.write_bytes(trained)
    print(f"{out}: {time.perf_counter() - begin:,.0f} s, {len(trained):,} bytes")


@app.command()
def spacy(
    data: Data,
    out: Out,
    treebank: Treebank = "en_ewt",
    language: Annotated[str, typer.Option(help="Language of its rule-based tokeniser.")] = "en",
    max_steps: Annotated[
        int, typer.Option(help="Training steps; 0: until early stopping.")
    ] = 20_000,
) -> None:
    """Train spaCy."""
    begin = time.perf_counter()
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        for part in ("train", "dev"):
            source = data / treebank / f"{part}.conllu"
            _run("convert", source, folder, "--n-sents", SPACY_SENTENCES, "--merge-subtokens")
        pipes = ",".join(pipe for pipe in SPACY_PIPES if pipe != "tok2vec")
        config = folder / "config.cfg"
        _run("init", "config", config, "--lang", language, "--pipeline", pipes)
        _run(
            *("train", config, "--output", folder / "model"),
            *("--paths.train", folder / "train.spacy", "--paths.dev", folder / "dev.spacy"),
            *("--training.max_steps", max_steps),
        )
        (folder / "model" / "model-best").rename(out)
    print(f"{out}: {time.perf_counter() - begin:,.0f} s")


def _run(*words: object) -> None:
    subprocess.run([sys.executable, "-m", "spacy", *map(str, words)], check=True)


if __name__ == "__main__":
    app()
