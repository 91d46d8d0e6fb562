"""What the names of metrics mean, as the program reads them in `metrics`."""

import functools
import re
from collections.abc import Container, Mapping
from typing import Any

from beameval._tables import IMPLYING, OTHER

_AVERAGE = "(?P<average>_micro|_macro|_weighted|_samples)?"
_NUMBER = r"(?P<number>[0-9.eE+-]+)"


def plain(name: str) -> str:
    """Returns a name in lower case, with _ between words, and without the _score of scikit-learn's functions."""
    name = re.sub("-([a-z])", r"_\1", name.lower())
    return re.sub(r"(?<=.)_score(?=(_micro|_macro|_weighted|_samples)?(@.*)?$)", "", name)


# What the options of rankings are where the names of other tools stand for metrics.
_ELSEWHERE = {"gain": "linear", "relevance_threshold": 1, "max_relevance": 4, "map_divisor": "relevant"}


def main(name: str, task: str, has: Container[str], ranking: Mapping[str, Any]) -> str | None:
    """Returns the main name of a metric that a report of a task has under another, or None. Some names of other
    tools stand for a metric only with some options of rankings."""
    for form, names in ((name, _patterns(task, False)), (plain(name), _patterns(task, True))):
        if form in has:
            return form
        for pattern, other, of in names:
            match = pattern.fullmatch(form)
            if match is None:
                continue
            if any((ranking.get(key) or _ELSEWHERE[key]) != _ELSEWHERE[key] for key in IMPLYING.get(other, ())):
                return None
            found = re.sub("<.*?>", _number(match.groupdict().get("number")), of) + (match["average"] or "")
            if found in has:
                return found
    return None


def _number(text: str | None) -> str:
    try:
        return repr(float(text or "")).removesuffix(".0")
    except ValueError:
        return ""


@functools.cache
def _patterns(task: str, in_plain: bool) -> list[tuple[re.Pattern[str], str, str]]:
    """Returns what metrics of a task are also called, with the main names."""
    found = []
    for other, of in OTHER.get(task, {}).items():
        before, parameter, after = re.fullmatch("([^<]*)(<.*?>)?(.*)", plain(other) if in_plain else other).groups("")  # type: ignore[union-attr]
        found.append((re.compile(re.escape(before) + (_NUMBER if parameter else "") + re.escape(after) + _AVERAGE), other, of))
    return found
