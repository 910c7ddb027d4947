#!/usr/bin/env python3
"""Runs SciPy's six solvers on every problem that they take, each beside ours of the same kind.

    scipy_solvers.py [--db STORE] [--rtol R,R,...] [--timeout S] [--repeat N] [PROBLEM...]

Without a problem it takes all ODEs of the catalog. It times the runs of a problem in turns. It does not repeat a problem that the store has, so the
same command resumes an interrupted campaign. At the end it prints a table in Markdown. 'ivp report --db STORE' makes a book of the same runs.
"""

import argparse
import contextlib
import os
import sys
import warnings

import numpy as np

import ivp

# SciPy's solver, and the one of ours to compare it with: the same method, or the nearest.
PAIRS = {"scipy-rk23": "dopri5", "scipy-rk45": "dopri5", "scipy-dop853": "dop853", "scipy-radau": "radau5", "scipy-bdf": "vode", "scipy-lsoda": "vode"}
SOLVERS = [*PAIRS, *dict.fromkeys(PAIRS.values())]


@contextlib.contextmanager
def quiet():
    """The Fortran of LSODA writes to the terminal."""
    sys.stdout.flush()
    kept, nothing = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, 1)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            yield
    finally:
        os.dup2(kept, 1)
        os.close(kept)
        os.close(nothing)


def measure(problem, rtol, store, timeout, repeat):
    with quiet():
        table = ivp.wp(problem, SOLVERS, rtol, timeout=timeout, repeat=repeat, store=store)
    good = table[table["outcome"] == "success"]
    print(f"{problem:<14}{len(good)} of {len(table)} runs succeeded", flush=True)


def compared(good, theirs, ours):
    """Of the runs that both solved: the ratios of CPU time and of evaluations, and how many more digits SciPy's has."""
    both = good[good["solver"] == theirs].merge(good[good["solver"] == ours], on=["problem", "rtol"], suffixes=("", "_ours"))
    ratio = (both["cpu_s"] / both["cpu_s_ours"]).astype(float)
    evaluations = ((both["nfev"] + both["nfev_jac"]) / (both["nfev_ours"] + both["nfev_jac_ours"])).astype(float)
    digits = (both["mescd"] - both["mescd_ours"]).astype(float)
    return len(both), ratio, evaluations, digits


def short(number):
    return f"{number:.0f}" if number >= 10 else f"{number:.1f}"


def summary(table):
    groups = {"test set": lambda p: not p.startswith("detest"), "DETEST, non-stiff": lambda p: p.startswith("detest-n"),
              "DETEST, stiff": lambda p: p.startswith("detest-s")}
    members = {name: table["problem"].map(chosen) for name, chosen in groups.items()}
    good = table[table["outcome"] == "success"]
    print("\n| solver | " + " | ".join(f"solved, {name}" for name in groups) + " | beside | runs of both | CPU ratio | least, most | ratio of f | digits more |")
    print("|---|" + "---|" * (len(groups) + 6))
    for theirs in SOLVERS:
        counts = []
        for name in groups:
            mine = table[members[name] & (table["solver"] == theirs)]
            counts.append(f"{(mine['outcome'] == 'success').sum()} of {len(mine)}")
        cells = ["", "", "", "", "", ""]
        if theirs in PAIRS:
            runs, ratio, evaluations, digits = compared(good, theirs, PAIRS[theirs])
            if runs:
                cells = [f"`{PAIRS[theirs]}`", f"{runs}", short(np.exp(np.log(ratio).mean())), f"{short(ratio.min())}, {short(ratio.max())}",
                         f"{np.exp(np.log(evaluations).mean()):.2f}", f"{digits.median():+.1f}"]
        print(f"| `{theirs}` | " + " | ".join(counts + cells) + " |")


def main():
    read = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    read.add_argument("problems", nargs="*", metavar="PROBLEM")
    read.add_argument("--db", default="scipy.db", help="store that keeps the runs; default scipy.db")
    read.add_argument("--rtol", default="1e-4,1e-6", help="tolerances; default 1e-4,1e-6")
    read.add_argument("--timeout", type=float, default=10, help="seconds of one run; default 10")
    read.add_argument("--repeat", type=int, default=3, help="timed runs, of which the fastest counts; default 3")
    given = read.parse_args()
    rtol = [float(r) for r in given.rtol.split(",")]
    store = ivp.Store(given.db)
    there = set(store.records()["problem"]) if len(store) else set()
    for problem in given.problems or [p for p in ivp.problems() if ivp.problem(p).form == "ode"]:
        if problem not in there:
            measure(problem, rtol, store, given.timeout, given.repeat)
    summary(store.records())


if __name__ == "__main__":
    try:
        main()
    except ivp.Error as e:
        sys.exit(f"{e}")
