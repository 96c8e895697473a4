"""Run the comparison of Honnibal & Johnson (2015): four systems that repair more and more.

    python experiments/honnibal_johnson_2015.py --data DIR --seeds 2 --out report.html

reads DIR/<treebank>/{train,dev,test}.conllu, prints the tables and writes a report, with Markdown,
JSON and the results of single runs beside it. Interrupted, it goes on when called again.
"""

from dodona.experiments.papers.honnibal_johnson_2015 import run
from dodona.experiments.script import main

if __name__ == "__main__":
    main(run, __doc__, {"conditions": "some of gold,clusters,predicted, as A,B"})
