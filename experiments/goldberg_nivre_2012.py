"""Run the comparison of Goldberg & Nivre (2012): static, ambiguity, explore.

    python experiments/goldberg_nivre_2012.py --data DIR --seeds 2 --out report.html

reads DIR/<treebank>/{train,dev,test}.conllu, prints the tables and writes a report, with Markdown,
JSON, the plot and the results of single runs beside it. Interrupted, it goes on when called again.
"""

from dodona.experiments.papers.goldberg_nivre_2012 import run
from dodona.experiments.script import main

if __name__ == "__main__":
    main(run, __doc__, {"root": "where the artificial root stands: first, last, none"})
