"""Fixtures: an application with small models."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from support import small

if TYPE_CHECKING:
    from starlette.testclient import TestClient


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    from starlette.testclient import TestClient

    from dodona.server.app import make_app
    from support.server_lab import models

    with TestClient(make_app(models())) as client:
        yield client


@pytest.fixture(scope="session")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the file of a small model, for a server process."""
    path = tmp_path_factory.mktemp("models") / "tiny.dodona"
    small.parser().save(path)
    return path
