"""Atomic writes: a file is replaced completely or not at all, and no temporary file is left."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Callable
from errno import EINVAL, EIO, ENOLCK
from pathlib import Path
from typing import Any

import pytest

from dodona.storage import atomic as module
from dodona.storage.atomic import atomic_write

posix = pytest.mark.skipif(os.name == "nt", reason="POSIX only")


def write(path: Path, data: bytes) -> None:
    with atomic_write(path) as file:
        file.write(data)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


# --- what is written


def test_the_old_file_stays_until_the_new_one_is_complete(tmp_path: Path) -> None:
    path = tmp_path / "oak"
    path.write_bytes(b"old")
    with atomic_write(path) as file:
        file.write(b"new" * 1_000_000)
        file.flush()
        assert path.read_bytes() == b"old"
    assert path.read_bytes() == b"new" * 1_000_000
    assert names(tmp_path) == ["oak"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, OSError])
def test_what_goes_wrong_leaves_the_old_file(tmp_path: Path, error: type[BaseException]) -> None:
    path = tmp_path / "oak"
    path.write_bytes(b"old")
    with pytest.raises(error), atomic_write(path) as file:
        file.write(b"new")
        raise error
    assert path.read_bytes() == b"old"
    assert names(tmp_path) == ["oak"]


@posix
def test_permissions_stay_as_they_were(tmp_path: Path) -> None:
    path = tmp_path / "oak"
    path.write_bytes(b"old")
    path.chmod(0o604)
    write(path, b"new")
    assert stat.S_IMODE(path.stat().st_mode) == 0o604


@posix
def test_a_link_stays_and_what_it_leads_to_is_replaced(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    path = tmp_path / "link"
    path.symlink_to(tmp_path / "folder" / "oak")
    write(path, b"new")
    assert path.is_symlink() and names(tmp_path / "folder") == ["oak"]
    assert names(tmp_path) == ["folder", "link"]


@posix
def test_what_is_no_file_is_written_as_it_is(tmp_path: Path) -> None:
    """Renaming over a device or a pipe would destroy it."""
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write(path, b"through the pipe")
        assert os.read(reader, 100) == b"through the pipe"
    finally:
        os.close(reader)
    assert path.is_fifo() and names(tmp_path) == ["pipe"]


# --- it is on the disk before it takes the place of the old one


@posix
def test_file_and_folder_reach_the_disk_in_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []

    def sync(number: int) -> None:
        done.append("folder" if stat.S_ISDIR(os.fstat(number).st_mode) else "file")
        if done[-1] == "file":  # nothing waits in a buffer
            assert os.fstat(number).st_size == 3

    def replace(self: Path, target: Path) -> None:
        done.append("rename")
        self.rename(target)

    monkeypatch.setattr(os, "fsync", sync)
    monkeypatch.setattr(Path, "replace", replace)
    write(tmp_path / "oak", b"new")
    assert done == ["file", "rename", "folder"]


@posix
@pytest.mark.parametrize(("number", "is_said"), [(EINVAL, False), (EIO, True)])
def test_a_folder_that_cannot_reach_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, is_said: bool
) -> None:
    """Some file systems cannot fsync a folder; disk errors are reported. The file is complete."""
    real = os.fsync

    def sync(file: int) -> None:
        if stat.S_ISDIR(os.fstat(file).st_mode):
            raise OSError(number, os.strerror(number))
        real(file)

    monkeypatch.setattr(os, "fsync", sync)
    if is_said:
        with pytest.raises(OSError, match="oak"):
            write(tmp_path / "oak", b"new")
    else:
        write(tmp_path / "oak", b"new")
    assert (tmp_path / "oak").read_bytes() == b"new"
    assert names(tmp_path) == ["oak"]


# --- what others have left


def test_what_was_left_is_swept_and_nothing_else(tmp_path: Path) -> None:
    left = [".oak.1a2b3c4d.part", ".oak.4711.part"]
    others = [".oak.part", ".oak.my.part", ".oak2.1a2b3c4d.part", "oak.1a2b3c4d.part", ".oak.12"]
    for name in left + others:
        (tmp_path / name).write_bytes(b"half")
    (tmp_path / ".oak.00000000.part").mkdir()
    write(tmp_path / "oak", b"new")
    assert names(tmp_path) == sorted([*others, ".oak.00000000.part", "oak"])


def test_what_another_process_is_writing_is_not_swept(tmp_path: Path) -> None:
    script = (
        "import sys; from dodona.storage.atomic import atomic_write\n"
        "with atomic_write(sys.argv[1]) as file:\n"
        "    print('writing', flush=True); sys.stdin.read(); file.write(b'theirs')\n"
    )
    command = [sys.executable, "-c", script, str(tmp_path / "oak")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout is not None
        other.stdout.readline()
        write(tmp_path / "oak", b"ours")
        assert len(names(tmp_path)) == 2
        other.communicate()
    assert other.returncode == 0
    assert (tmp_path / "oak").read_bytes() == b"theirs"
    assert names(tmp_path) == ["oak"]


def test_two_writers_in_one_process_do_not_meet(tmp_path: Path) -> None:
    path = tmp_path / "oak"
    with atomic_write(path) as one, atomic_write(path) as other:
        one.write(b"one")
        other.write(b"other")
    assert path.read_bytes() == b"one"  # which ends last
    assert names(tmp_path) == ["oak"]


@posix
def test_a_part_that_is_swept_before_it_is_locked_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real: Callable[[Any], bool] = module.lock
    swept: list[str] = []

    def lock(file: Any) -> bool:
        if not swept:
            swept.append(file.name)
            Path(file.name).unlink()
        return real(file)

    monkeypatch.setattr(module, "lock", lock)
    write(tmp_path / "oak", b"new")
    assert swept and (tmp_path / "oak").read_bytes() == b"new"


@posix
def test_without_locks_files_are_written_and_nothing_is_swept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def lock(*_: Any) -> None:
        raise OSError(ENOLCK, "No locks available")

    monkeypatch.setattr(module.fcntl, "flock", lock)
    (tmp_path / ".oak.1a2b3c4d.part").write_bytes(b"half")
    write(tmp_path / "oak", b"new")
    assert names(tmp_path) == [".oak.1a2b3c4d.part", "oak"]


# --- errors


def test_a_folder_that_is_not_there_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError, match="nowhere does not exist"):
        write(tmp_path / "nowhere" / "oak", b"new")


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no /dev/full here")
def test_a_full_disk_is_named() -> None:
    with pytest.raises(OSError, match="No space left on device: '/dev/full'"):
        write(Path("/dev/full"), b"new")


@posix
@pytest.mark.skipif(getattr(os, "geteuid", int)() == 0, reason="root may write anywhere")
def test_a_folder_where_nothing_may_be_written_is_told_by_the_name_of_the_file(
    tmp_path: Path,
) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(PermissionError, match="/oak'"):
        write(tmp_path / "oak", b"new")


@pytest.mark.parametrize("has_links", [True, False])
def test_without_replacing_what_is_there_stays(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, has_links: bool
) -> None:
    if not has_links:

        def link(*_: Any) -> None:
            raise PermissionError(1, "Operation not permitted")

        monkeypatch.setattr(os, "link", link)
    path = tmp_path / "oak"
    with atomic_write(path, replace=False) as file:
        file.write(b"old")
        assert not path.exists()
    assert path.read_bytes() == b"old" and names(tmp_path) == ["oak"]
    with pytest.raises(FileExistsError), atomic_write(path, replace=False) as file:
        file.write(b"new")
    assert path.read_bytes() == b"old" and names(tmp_path) == ["oak"]


@pytest.mark.skipif(os.name == "nt", reason="links need a privilege")
def test_without_replacing_a_link_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "nowhere")
    with pytest.raises(FileExistsError), atomic_write(tmp_path / "link", replace=False) as file:
        file.write(b"new")
    assert names(tmp_path) == ["link"] and (tmp_path / "link").is_symlink()
