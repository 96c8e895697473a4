"""What most tests of the server ask: an application with small models."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from starlette.testclient import TestClient


@pytest.fixture(scope="module")
def client() -> Iterator[TestClient]:
    from starlette.testclient import TestClient

    from dodona.server.app import make_app
    from support.server_lab import models

    with TestClient(make_app(models())) as client:
        yield client
