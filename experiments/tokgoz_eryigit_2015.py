"""Run the comparison of Tokgöz & Eryiğit (2015): graphs, with static and dynamic oracles.

    python experiments/tokgoz_eryigit_2015.py --data DIR --treebanks ta_ttb --out report.html

reads DIR/<treebank>/train.conllu, whose DEPS column must hold enhanced graphs, prints the table and
writes a report, with Markdown, JSON and the results of single folds beside it. Interrupted, it goes
on when called again.
"""

from dodona.experiments.papers.tokgoz_eryigit_2015 import run
from dodona.experiments.script import main

if __name__ == "__main__":
    main(run, __doc__, {"folds": "how many of the ten: N", "epochs": "passes over the data: N"})
