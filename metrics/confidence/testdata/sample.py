"""Makes sample.json: standard errors of means of stratified samples, by the formulas of textbooks, in plain Python.

python3 sample.py > sample.json

Each row was drawn from a stratum, with a probability. The mean of the rows of a domain has the weights 1 / probability. Its
standard error is computed from the linearized values u of rows, and of groups of rows. For all rows, each a group, it is
compared with the formula of a stratified mean.
"""

import json
import math
import random


def standard_error(rows, mean, groups, finite):
    """rows are (stratum, probability, in the domain, y); groups has the group of each row, of one stratum each."""
    weight = sum(1 / p for _, p, inside, _ in rows if inside)
    variance = 0
    for h in sorted({row[0] for row in rows}):
        members = [i for i, row in enumerate(rows) if row[0] == h]
        n, size = len(members), sum(1 / rows[i][1] for i in members)
        u = {i: rows[i][2] / rows[i][1] * (rows[i][3] - mean) / weight for i in members}
        total = sum(u.values())
        squares, spread = 0, 0
        for g in sorted({groups[i] for i in members}):
            group = [i for i in members if groups[i] == g]
            squares += (sum(u[i] for i in group) - len(group) / n * total) ** 2
            spread += len(group) / n * (1 - len(group) / n)  # E of squares is n spread s²
        within = squares / spread
        variance += within * (1 - n / size) if finite else within + total**2 / size
    return math.sqrt(variance)


def textbook(rows, finite):
    """Of all rows, each a group: Särndal, Swensson & Wretman (1992), section 3.7."""
    everything = sum(1 / p for _, p, _, _ in rows)
    mean = sum(y / p for _, p, _, y in rows) / everything
    variance = 0
    for h in {row[0] for row in rows}:
        of = [row for row in rows if row[0] == h]
        n, size, part = len(of), sum(1 / row[1] for row in of), sum(row[3] for row in of) / len(of)
        s2 = sum((row[3] - part) ** 2 for row in of) / (n - 1)
        share = size / everything
        variance += share**2 * s2 / n * (1 - n / size if finite else 1)
        if not finite:
            variance += share * (part - mean) ** 2 / everything
    return math.sqrt(variance)


def case(seed, sizes, probabilities, most):
    r = random.Random(seed)
    rows, groups = [], []
    for h, (n, p) in enumerate(zip(sizes, probabilities)):
        for _ in range(n):
            rows.append((h, p, r.random() < 0.3 + 0.2 * h, round(r.gauss(h, 1 + h), 3)))
            groups.append(len(rows) if most == 0 else 100 * h + r.randrange(most))
    found = {"Rows": [{"Stratum": h, "Probability": p, "Inside": inside, "Y": y} for h, p, inside, y in rows], "Groups": groups, "Means": []}
    everything = [(h, p, True, y) for h, p, _, y in rows]
    for some in (everything, rows):
        mean = sum(y / p for _, p, inside, y in some if inside) / sum(1 / p for _, p, inside, _ in some if inside)
        errors = [standard_error(some, mean, groups, finite) for finite in (False, True)]
        if some is everything and most == 0:
            for finite in (False, True):
                assert math.isclose(errors[finite], textbook(some, finite), rel_tol=1e-12)
        found["Means"].append({"Value": mean, "StdError": errors[0], "Finite": errors[1]})
    return found


print(json.dumps([
    case(1, [12, 9, 20], [0.5, 0.0625, 0.2], 0),
    case(2, [2, 30, 5, 8], [1, 0.125, 0.25, 0.5], 0),
    case(3, [60, 80], [0.01, 0.3], 20),
    case(4, [40, 25, 90], [0.5, 0.5, 0.1], 7),
    case(5, [30], [0.25], 0),
]))
