"""The files of deploy/ fit the command line."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from dodona.cli.flags import parameters
from dodona.cli.verbs import load_verb

yaml = pytest.importorskip("yaml", reason="PyYAML is not installed here")
DEPLOY = Path(__file__).parent.parent / "deploy"


def containers() -> list[dict[str, object]]:
    documents = yaml.safe_load_all((DEPLOY / "kubernetes.yaml").read_text(encoding="utf-8"))
    pods = (one["spec"]["template"]["spec"] for one in documents if "template" in one["spec"])
    return [container for pod in pods for container in pod["containers"]]


@pytest.mark.parametrize("container", containers(), ids=lambda one: one["name"])
def test_every_flag_exists(container: dict[str, list[str]]) -> None:
    verb, *words = container["args"]
    known = {parameter.name for parameter in parameters(load_verb(verb))}
    flags = [re.match(r"--([a-z-]+)", word) for word in words]
    names = [flag[1].replace("-", "_") for flag in flags if flag]
    assert names and {*names} <= known


def test_pods_of_a_batch_share_a_volume_and_may_write_to_it() -> None:
    text = (DEPLOY / "kubernetes.yaml").read_text(encoding="utf-8")
    [claim, job] = [*yaml.safe_load_all(text)][-2:]
    assert claim["spec"]["accessModes"] == ["ReadWriteMany"]
    pod = job["spec"]["template"]["spec"]
    assert pod["securityContext"]["fsGroup"] == pod["securityContext"]["runAsUser"]
    [container] = pod["containers"]
    assert f"--shard=$(JOB_COMPLETION_INDEX)/{job['spec']['completions']}" in container["args"]
    limit = container["resources"]["limits"]["memory"]
    assert int(limit.removesuffix("Mi")) > 813, "of a document of ten million characters"
