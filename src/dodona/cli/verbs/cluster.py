"""`dodona cluster`: from text to clusters of its words."""

from itertools import chain
from typing import Annotated

from dodona.cli.errors import say
from dodona.cli.flags import Flag
from dodona.cli.progress import ProgressBar
from dodona.clustering.clusters import cluster as make_clusters
from dodona.clustering.clusters import read_words, write_clusters
from dodona.treebank.conllu.files import open_output


def cluster(
    texts: Annotated[
        list[str] | None,
        Flag(
            "text, a sentence a line, blanks between words, or .conllu ('-': stdin, the default)",
            positional=True,
        ),
    ] = None,
    out: Annotated[str, Flag("file to write ('-': stdout)", short="-o")] = "-",
    clusters: Annotated[int, Flag("how many")] = 1000,
    min_count: Annotated[int, Flag("leave out words that are rarer")] = 1,
    quiet: Annotated[bool, Flag("no progress, no summary")] = False,
) -> None:
    """Cluster the words of a text by the company they keep.

    Brown clusters (Brown et al. 1992), for `dodona train --clusters`. The output has a line for
    each word: the bit string of its cluster, the word, how often it occurs. The beginning of a bit
    string is a coarser cluster.
    """
    with open_output(out) as file, ProgressBar("clustering", quiet=quiet) as bar:
        sentences = chain.from_iterable(map(read_words, texts or ["-"]))
        words = make_clusters(sentences, clusters=clusters, min_count=min_count, report=bar.update)
        write_clusters(words, file)
    n_clusters = len({word.bits for word in words})
    if n_clusters < clusters:
        say(f"only {n_clusters:,} different words, so {n_clusters:,} clusters and not {clusters:,}")
    elif not quiet:
        say(f"{len(words):,} words in {n_clusters:,} clusters")
