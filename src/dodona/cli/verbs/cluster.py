"""`dodona cluster`: cluster the words of a text."""

from itertools import chain
from typing import Annotated

from dodona.cli.errors import say
from dodona.cli.flags import Flag, OutputFile
from dodona.cli.progress import ProgressBar
from dodona.clustering.clusters import cluster as make_clusters
from dodona.clustering.clusters import read_words, write_clusters
from dodona.treebank.conllu.files import open_output


def cluster(
    texts: Annotated[
        list[str] | None,
        Flag(
            "text with a tokenised sentence per line, or .conllu ('-': stdin, the default)",
            positional=True,
        ),
    ] = None,
    out: OutputFile = "-",
    clusters: Annotated[int, Flag("number of clusters")] = 1000,
    min_count: Annotated[int, Flag("leave out words that occur less often")] = 1,
    quiet: Annotated[bool, Flag("print no progress and no summary")] = False,
) -> None:
    """Cluster the words of a text by their contexts.

    Computes Brown clusters (Brown et al. 1992) for `dodona train --clusters`. The output has a line
    for each word: the bit string of its cluster, the word, its frequency. Prefixes of bit strings
    are coarser clusters.
    """
    with open_output(out) as file, ProgressBar("clustering", quiet=quiet) as bar:
        sentences = chain.from_iterable(map(read_words, texts or ["-"]))
        words = make_clusters(sentences, clusters=clusters, min_count=min_count, report=bar.update)
        write_clusters(words, file)
    n_clusters = len({word.bits for word in words})
    if n_clusters < clusters:
        say(f"{n_clusters:,} clusters instead of {clusters:,}: the text has no more distinct words")
    elif not quiet:
        say(f"{len(words):,} words in {n_clusters:,} clusters")
