#!/usr/bin/env python3
"""What Python costs: one call of p.f against the same call from C, and a run of radau5 in Python against the tool's.

    python_calls.py [TOOL]

TOOL: the command ivp; without it only the first is measured. CPU times, interleaved, the least of several.
"""

import json
import subprocess
import sys
import time
import timeit

import ivp


def calls(rounds=9, n=100_000):
    p = ivp.problem("hires")
    names = {"f": p.f, "t": 0.0, "y": p.y0}
    python, c = [], []
    for _ in range(rounds):
        python.append(timeit.timeit("f(t, y)", globals=names, number=n, timer=time.process_time) / n)
        c.append(ivp._core.time_f(p, n))
    print(f"p.f of hires, n = 8: {min(python) * 1e9:.0f} ns from Python, {min(c) * 1e9:.0f} ns from C, {(min(python) - min(c)) * 1e9:.0f} ns more")


def runs(tool, rounds=7):
    python, other = [], []
    for _ in range(rounds):
        mine = ivp.run("hires", "radau5", 1e-6)
        theirs = json.loads(subprocess.run([tool, "run", "hires", "radau5", "--rtol", "1e-6", "--format", "json"], check=True, capture_output=True).stdout)
        assert mine["y"] == theirs["y"] and mine["nfev"] == theirs["nfev"]
        python.append(mine.cpu_s)
        other.append(theirs["cpu_s"])
    print(f"hires, radau5, rtol 1e-6: {min(python) * 1e6:.1f} us in Python, {min(other) * 1e6:.1f} us by the tool; the same y to the last bit")


calls()
if len(sys.argv) > 1:
    runs(sys.argv[1])
