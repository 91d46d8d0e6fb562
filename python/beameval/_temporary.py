"""Temporary directories, which the next call removes if this Python was killed.

Beside each is a file of its name and `.owner`. They are all one file, which this process keeps locked as long as it has any
directory: one whose `.owner` can be locked has lost its owner.
"""

import contextlib
import os
import shutil
import sys
import tempfile
import threading
from collections.abc import Iterator
from typing import Any

if sys.platform == "win32":
    import msvcrt

    def _lock(file: Any) -> None:
        msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(file: Any) -> None:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)


_PREFIXES = ("beameval-data-", "beameval-report-")
_OWNER = ".owner"

_guard = threading.RLock()  # the collector of garbage may remove a directory within a call
_own: set[str] = set()
_locked: list[Any] = []


def _forked() -> None:
    global _guard
    _guard = threading.RLock()  # another thread may have held it


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forked)


def make(prefix: str) -> str:
    """Creates a directory, after it has removed those of processes that were killed."""
    with _guard:
        _sweep()
        path = tempfile.mkdtemp(prefix=prefix)
        _own.add(path)  # what the collector of garbage removes meanwhile is not the last
        _mark(path)
        return path


def remove(path: str) -> None:
    """Removes a directory that make has created."""
    with _guard:
        _own.discard(path)
        if not _own:  # Windows does not remove what is open
            while _locked:
                _locked.pop().close()
        _erase(path)


@contextlib.contextmanager
def directory(prefix: str) -> Iterator[str]:
    """A directory for the duration of a block."""
    path = make(prefix)
    try:
        yield path
    finally:
        remove(path)


def _mark(path: str) -> None:
    """Marks a directory as owned by this process. Where files cannot be locked, it stays unmarked, and nobody removes it."""
    owner = path + _OWNER
    for other in tuple(_own - {path}):
        with contextlib.suppress(OSError):
            os.link(other + _OWNER, owner)
            return
    name = owner if sys.platform == "win32" else owner + "-new"  # Windows does not rename what is open, nor remove it
    file = open(name, "x")  # noqa: SIM115
    try:
        _lock(file)
        if name != owner:
            os.rename(name, owner)  # nobody sees it unlocked
    except OSError:
        file.close()
        return
    _locked.append(file)


def _sweep() -> None:
    with contextlib.suppress(OSError), os.scandir(tempfile.gettempdir()) as entries:
        for entry in entries:
            path = entry.path.removesuffix(_OWNER)
            if entry.name.startswith(_PREFIXES) and path != entry.path and path not in _own and _abandoned(entry):
                _erase(path)


def _abandoned(entry: "os.DirEntry[str]") -> bool:
    """Reports whether the owner of a directory of this user has ended."""
    try:
        if not entry.is_file(follow_symlinks=False) or sys.platform != "win32" and entry.stat(follow_symlinks=False).st_uid != os.getuid():
            return False
        with open(entry.path, "r+") as file:
            _lock(file)
    except OSError:
        return False
    return True


def _erase(path: str) -> None:
    """Removes a directory, and last its owner: if this process ends in between, the next one goes on."""
    shutil.rmtree(path, ignore_errors=True)
    with contextlib.suppress(OSError):
        os.remove(path + _OWNER)
