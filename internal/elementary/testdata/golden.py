"""Writes golden.txt: arguments and values, correctly rounded, by Python's decimal.

    python3 internal/elementary/testdata/golden.py
"""

import math
import pathlib
import random
from decimal import Decimal, getcontext

getcontext().prec = 80
LN2 = Decimal(2).ln()


FUNCTIONS = {
    "Log": lambda x: x.ln(),
    "Log1p": lambda x: (1 + x).ln(),
    "Log2": lambda x: x.ln() / LN2,
    "Exp": lambda x: x.exp(),
    "Expm1": lambda x: x.exp() - 1,
    "Tanh": lambda x: 1 - 2 / ((2 * x).exp() + 1),
    "Atanh": lambda x: ((1 + x) / (1 - x)).ln() / 2,
}


def golden():
    """Yields lines: a function, its arguments and its value."""
    draw = random.Random(7)
    for name, f in FUNCTIONS.items():
        for x in sorted(arguments(name, draw)):
            yield f"{name} {x.hex()} {float(f(Decimal(x))).hex()}\n"
    for _ in range(300):
        x, y = math.exp(draw.uniform(-3, 3)), draw.uniform(-20, 20)
        yield f"Pow {x.hex()} {y.hex()} {float((Decimal(y) * Decimal(x).ln()).exp()).hex()}\n"


def arguments(name, draw):
    for _ in range(200):
        small = math.exp(draw.uniform(-30, 0))
        if name in ("Log", "Log2"):
            yield from (draw.random(), 1 + draw.uniform(-0.02, 0.02), math.exp(draw.uniform(-700, 700)))
        elif name == "Log1p":
            yield from (small, -small, math.exp(draw.uniform(0, 700)))
        elif name == "Atanh":
            yield from (small, -small, max(small, 2**-50) - 1, 1 - max(small, 2**-50))
        else:
            yield from (small, -small, draw.uniform(-20, 20))


if __name__ == "__main__":
    pathlib.Path(__file__).with_name("golden.txt").write_text("".join(golden()))
