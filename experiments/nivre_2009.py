"""Run the comparison of Nivre, Kuhlmann & Hall (2009): swap, eager and lazy, and its rivals.

    python experiments/nivre_2009.py --data DIR --seeds 2 --out report.html

reads DIR/<treebank>/{train,dev,test}.conllu, prints the tables and writes a report, with Markdown,
JSON, the plot and the results of single runs beside it. Interrupted, it goes on when called again.
"""

from dodona.experiments.papers.nivre_2009.experiment import run
from dodona.experiments.script import main

if __name__ == "__main__":
    main(run, __doc__)
