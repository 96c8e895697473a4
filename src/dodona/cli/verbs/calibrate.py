"""`dodona calibrate`: make confidences of a model probabilities."""

from pathlib import Path
from typing import Annotated

from dodona.cli.errors import UsageError
from dodona.cli.flags import Flag, ModelFile, ModelName
from dodona.models import locate
from dodona.parsing.confidence import Calibration
from dodona.parsing.parser import Parser


def calibrate(
    model: ModelName,
    dev: Annotated[
        str, Flag("CoNLL-U file that the model was not trained on", positional=True, metavar="DEV")
    ],
    out: ModelFile = None,
) -> None:
    """Calibrate the confidences of a model on a dev set.

    Writes the model with a calibration, by which `dodona parse --confidence` gives probabilities:
    of the arcs with a confidence of 0.9, nine in ten are right. Trees and tags stay the same.
    Prints for each column the expected calibration error (ECE) and the area under the curve for finding
    errors (AUC), on the dev set itself.

    dodona calibrate my.dodona dev.conllu -o my.dodona
    """
    if out is None:
        raise UsageError("-o MODEL is missing: the calibrated model is written there")
    # imported here, since other verbs list this module
    from dodona.parsing.calibration import calibrate as calibrated

    parser = calibrated(Parser.load(locate(model)), dev)
    parser.save(Path(out))
    assert parser.calibration is not None
    print_calibration(parser.calibration)


def print_calibration(calibration: Calibration) -> None:
    """Print a row for each calibrated column."""
    from dodona.cli.tables import print_columns

    rows = [
        (
            column,
            f"{sum(n for n, *_ in one['bins']):,}",
            f"{100 * one['ece']:.2f}",
            "-" if one["auc"] is None else f"{100 * one['auc']:.2f}",
            f"{calibration.columns[column].temperature:.2f}",
        )
        for column, one in calibration.measured.items()
    ]
    print_columns(("column", "words", "ECE %", "AUC %", "temperature"), rows, "Confidences")
