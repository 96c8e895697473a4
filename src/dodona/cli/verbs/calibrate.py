"""`dodona calibrate`: turn the confidences of a model into probabilities."""

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

from dodona.cli.errors import UsageError
from dodona.cli.flags import Flag, ModelFile, ModelName
from dodona.models import locate
from dodona.parsing.parser import Parser


def calibrate(
    model: ModelName,
    dev: Annotated[
        str, Flag("CoNLL-U file that the model was not trained on", positional=True, metavar="DEV")
    ],
    out: ModelFile = None,
    check: Annotated[
        str | None, Flag("another CoNLL-U file on which to measure the result")
    ] = None,
) -> None:
    """Calibrate the confidences of a model on a dev set.

    Writes the model with a calibration, by which `dodona parse --confidence` gives probabilities:
    of the arcs with a confidence of 0.9, nine in ten are right. Trees and tags stay the same.
    Prints for each column the expected calibration error (ECE) and the area under the curve for
    finding errors (AUC), on the dev set and on the file of --check.

    dodona calibrate my.dodona dev.conllu -o my.dodona
    """
    if out is None:
        raise UsageError("-o MODEL is missing: the calibrated model is written there")
    # imported here: building the help does not need it
    from dodona.parsing import calibration
    from dodona.treebank.conllu.reader import read

    parser = calibration.calibrate(Parser.load(locate(model)), dev)
    assert parser.calibration is not None
    parser.save(Path(out))
    _print(dev, parser.calibration.measured)
    if check is not None:
        found = calibration.measure(parser, list(read(check)))
        _print(check, {column: one.to_dict() for column, one in found.items()})


def _print(name: str, measured: Mapping[str, Mapping[str, Any]]) -> None:
    """Print a row for each column."""
    from dodona.cli.tables import print_columns

    rows = [
        (
            column,
            f"{sum(n for n, *_ in one['bins']):,}",
            *("-" if one[key] is None else f"{one[key]:.4f}" for key in ("ece", "ece_mass", "auc")),
        )
        for column, one in measured.items()
    ]
    print_columns(("column", "words", "ECE", "ECE, equal bins", "AUC"), rows, name)
