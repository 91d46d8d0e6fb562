"""Cases of parity: what a peer computes, and how beameval is asked for it."""

import math
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

TOLERANCE = 1e-12  # times the larger of 1 and the value


class Case(NamedTuple):
    peer: str
    metric: str  # of the peer
    want: float  # nan where it is undefined
    keywords: Mapping[str, Any]  # of beameval.evaluate
    value: Callable[[Any], float | None]  # of the report
    convention: str = ""  # by which beameval may differ


class Unsupported(Exception):
    """Why beameval has no such metric."""


def close(got, want):
    if got is None or math.isnan(got):
        return math.isnan(want)
    return got == want or abs(got - want) <= TOLERANCE * max(1, abs(want))
