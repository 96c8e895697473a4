"""Run the comparison of Aufrant, Wisniewski & Yvon (2017): beams, early update and max-violation.

    python experiments/aufrant_2017.py --data DIR --seeds 2 --out report.html

reads DIR/<treebank>/{train,dev,test}.conllu, prints the tables and writes a report, with Markdown,
JSON, the plots and the results of single runs beside it. Interrupted, it goes on when called again.
"""

from dodona.experiments.papers.aufrant_2017.experiment import run
from dodona.experiments.script import main

OPTIONS = {
    "epochs": "passes over the training data, by default 10: N",
    "beam": "derivations kept side by side, by default 8: N",
    "features": "templates, by default zn11-unlabelled",
    "loss": "by default unlabelled, and labels are not learned; labelled, graded",
    "restarts": "where IMP goes on after an error, good (c+) or bad (c-), by default both: A,B",
}

if __name__ == "__main__":
    main(run, __doc__, OPTIONS)
