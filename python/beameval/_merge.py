"""Makes the report of several parts of the data from their reports."""

import os

from beameval._program import Error
from beameval._report import Report


def merge(
    *reports: str | os.PathLike[str],
    output: str | os.PathLike[str] | None = None,
    slice: str | None = None,  # noqa: A002, the name of the flag
    overwrite: bool = False,
    check: bool = False,
    quiet: bool = False,
) -> Report:
    """Makes the report of several parts of the data, such as the nights of a week, from their reports.

    No prediction is read: the reports have their statistics, which `config={"output": {"statistics": True}}` of
    `evaluate` writes. The data of the reports must not overlap.

    >>> import beameval
    >>> kept = {"output": {"statistics": True}}
    >>> monday = beameval.evaluate({"y": [1, 0, 1, 0], "p": [0.9, 0.2, 0.4, 0.6]}, label="y", score="p", config=kept, quiet=True)
    >>> tuesday = beameval.evaluate({"y": [1, 0, 0, 0], "p": [0.8, 0.3, 0.1, 0.2]}, label="y", score="p", config=kept, quiet=True)
    >>> beameval.merge(monday, tuesday)["accuracy"]
    0.75

    Args:
        reports: reports or their directories, directories that hold reports at any depth, or globs of
            either.
        output: the directory of the merged report. Without it, the report is in a temporary directory
            that is removed with the object.
        slice: a key in the names of the directories, such as site of reports/site=A: each of its values
            becomes a slice.
        overwrite: replace a finished report in output.
        check: raise an Error with code 3 if a gate fails. It has the report.
        quiet: print no notes.

    Raises:
        Error: the command's message.
    """
    if not reports:
        raise Error("no reports: merge needs at least one", 2)
    arguments = [
        *(["--slice=" + slice] if slice is not None else []),
        *("--", *(os.fspath(report) for report in reports)),  # a name may begin with --
    ]
    library = getattr(reports[0], "_library", "pyarrow")
    return Report._made_by("merge", arguments, output, overwrite=overwrite, quiet=quiet, check=check, library=library)
