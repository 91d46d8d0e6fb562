#!/usr/bin/env python3
"""Sums of the discounts 1/log2(place+1) over many places, with 30 digits: discounts.py

Prints the lines of longDiscounts in dcg_test.go. Euler-Maclaurin with exact logarithmic integrals, from a sum of the first
terms; three corrections, of which the last is below the digits shown.
"""
import mpmath as mp

mp.mp.dps = 40


def f(x):
    return 1 / mp.log(x)


def total(p, q):
    """The sum of f over the whole numbers from p to q."""
    start = max(p, 20000)
    head = mp.fsum(f(k) for k in range(p, min(q + 1, start)))
    if q < start:
        return head
    tail = mp.li(q) - mp.li(start) + (f(start) + f(q)) / 2
    for k in (1, 2, 3):
        tail += mp.bernoulli(2 * k) / mp.factorial(2 * k) * (mp.diff(f, q, 2 * k - 1) - mp.diff(f, start, 2 * k - 1))
    return head + tail


for a, b in [(0, 10**6), (0, 10**9), (0, 10**12), (10**3, 10**9), (10**6, 2 * 10**6), (10**8, 10**8 + 300), (10**9 - 500, 10**9)]:
    print(f"\t{{{a}, {b}, {mp.nstr(mp.log(2) * total(a + 2, b + 1), 22)}}},")
