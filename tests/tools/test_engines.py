"""Installing the engines; failures are reported and do not stop the tool."""

from pathlib import Path

from tools import engines


def test_extras_are_those_of_the_package() -> None:
    assert any(package.startswith("pyspark") for package in engines.ENGINES["pyspark"])
    assert any(package.startswith("ray[data]") for package in engines.ENGINES["ray"])


def test_an_engine_that_cannot_be_installed_is_reported_in_a_line(tmp_path: Path) -> None:
    why = engines.install([str(tmp_path / "none-1.0-py3-none-any.whl")])
    assert why and "\n" not in why


def test_an_installed_module_is_found() -> None:
    assert engines.is_here("json") and not engines.is_here("no_such_engine")
