"""Runs the program, which the wheel installs beside Python's other scripts."""

import collections
import contextlib
import errno
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Sequence
from typing import TextIO


class Error(Exception):
    """The message of the command, with its exit code.

    Attributes:
        code: 1 if the run failed, 2 if the arguments or the schema of the data are wrong (a second
            try cannot mend that), 3 if a gate failed or a monitor alarmed and `check=True` asked for
            an exception, or None if the data could not be handed to the command.
        report: the report whose gate failed or the monitor that alarmed, or None.
    """

    def __init__(self, message: str, code: int | None = None, report: object = None) -> None:
        super().__init__(message)
        self.code = code
        self.report = report


NAME = "beameval.exe" if os.name == "nt" else "beameval"


def find() -> str:
    """Returns the path of the program: that of the variable BEAMEVAL, else the one beside the scripts
    of this Python, of the user, or of a `pip install --target`, else the one on PATH."""
    if "BEAMEVAL" in os.environ:
        return os.environ["BEAMEVAL"]
    schemes = [sysconfig.get_path("scripts"), sysconfig.get_path("scripts", sysconfig.get_preferred_scheme("user"))]
    target = pathlib.Path(__file__).resolve().parent.parent / "bin"
    for folder in [*schemes, str(target)]:
        program = os.path.join(folder, NAME)
        if os.path.isfile(program):
            return program
    on_path = shutil.which(NAME)
    if on_path is None:
        raise Error(f"the program {NAME} is not beside Python's scripts in {schemes[0]} and not on PATH: install a wheel of beameval")
    return on_path


def run(verb: str, arguments: Sequence[str], quiet: bool) -> tuple[int, str]:
    """Runs a verb of the program, and returns its exit code, 0 or 3, and what it prints.

    Notes and progress are passed on as they come, unless quiet: to sys.stderr, or in a notebook to sys.stdout. An exception,
    KeyboardInterrupt too, ends the program, which then removes what it has written. So does the end of
    this process, even by SIGKILL: the program watches its standard input, of which this process has the other end.
    """
    command = [find(), verb, *(["--quiet"] if quiet and verb in ("evaluate", "merge") else []), *arguments]
    with tempfile.TemporaryFile("w+", encoding="utf-8") as printed:
        # A group of its own: Ctrl-C at the terminal reaches this process alone, which passes it on.
        try:
            process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=printed, stderr=subprocess.PIPE,
                text=True, encoding="utf-8", errors="replace", start_new_session=True, env={**os.environ, "BEAMEVAL_PARENT": "stdin"},
            )  # fmt: skip
        except (OSError, ValueError) as reason:
            raise Error(_unstarted(command, reason)) from reason
        message: list[str] = []
        last: collections.deque[str] = collections.deque(maxlen=_LAST)
        with process:
            try:
                assert process.stdin is not None and process.stderr is not None
                for line in process.stderr:
                    if message or line.startswith(verb + ": "):
                        message.append(line)
                        continue
                    last.append(line)
                    if not quiet:
                        print(line, end="", file=_notes(), flush=True)
                code = process.wait()
            except BaseException:
                _interrupt(process)
                raise
        if code not in (0, 3):
            text = "".join(message).strip().removeprefix(verb + ": ").replace("--set: ", "")
            raise Error(text, code) if text else Error(_crash(verb, code, list(last)), 1)
        printed.seek(0)
        return code, printed.read()


def _notes() -> TextIO:
    """Returns where notes and progress go. Notebooks show what goes to sys.stderr in red, like errors."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return sys.stdout if hasattr(shell, "kernel") else sys.stderr


def _unstarted(command: list[str], reason: OSError | ValueError) -> str:
    """Returns the message for a program that the system does not start."""
    if isinstance(reason, OSError) and reason.errno == errno.E2BIG:
        size = f"{len(command) - 2} arguments of {sum(map(len, command))} characters"
        return f"the system takes no {size}: name a directory or a glob instead of many files, or give long options to config as a file"
    if isinstance(reason, OSError):
        return f"{command[0]} cannot run: {reason.strerror or reason}; the variable BEAMEVAL names another program"
    return f"an argument is none that a program can get: {reason}"


# How many lines of a crash are kept, and how many of them a message has: a trace of Go begins with the reason.
_LAST, _SHOWN = 5000, 20


def _crash(verb: str, code: int, last: list[str]) -> str:
    """Returns the message for a program that ended without one of its own, with what it printed."""
    how = f"exit code {code}"
    if code < 0:
        how = f"signal {-code}"
        with contextlib.suppress(ValueError):
            how = signal.Signals(-code).name
    start = next((i for i, line in enumerate(last) if line.startswith(("panic: ", "fatal error: ", "runtime: "))), max(len(last) - _SHOWN, 0))
    return f"{NAME} {verb} ended with {how} and no message" + "".join(["; it printed:\n", *last[start : start + _SHOWN]] if last else []).rstrip()


def _interrupt(process: "subprocess.Popen[str]") -> None:
    if os.name == "nt":
        process.terminate()
    else:
        process.send_signal(signal.SIGINT)
    try:
        process.communicate(timeout=60)
    except subprocess.TimeoutExpired:
        process.kill()
        process.communicate()
