#!/usr/bin/env python3
"""Large systems: one table of time, memory, steps and iterations, on the Brusselator in two dimensions.

    bench/large_table.py IVP PROBLEM N... [--rtol R] [--digits D] [--only WORD] [--repeat K] [--no-truth] [--truth R] [--keep FOLDER]

IVP is the tool, PROBLEM the Brusselator (an id or a plug-in), N the points in each direction (2 N^2 equations). Each row is one `ivp run` in a process of
its own; the rows of a size are run in turn, K times, and the smallest CPU time counts. Digits are the number of correct digits beside a run of dassl with
a tolerance a thousand times as tight (--truth: with this one), in the largest difference over all components, relative to the largest component.

With --digits each row has the largest tolerance of R, R/10^0.5, R/10, ... with which the solver reaches D digits: solvers are compared at the same
accuracy. --keep keeps the records of all runs, and takes what it finds there instead of running again.
"""
import argparse
import json
import math
import os
import subprocess
import sys

ROWS = [  # name, solver, further arguments, largest N
    ("vode, direct", "vode", ["--algebra", "sparse"], 300),
    ("radau5, direct", "radau5", ["--algebra", "sparse"], 300),
    ("CVODE, KLU", "cvode", ["--algebra", "sparse"], 100),
    ("vode, Krylov", "vode", ["--algebra", "krylov"], None),
    ("dassl, Krylov", "dassl", ["--algebra", "krylov"], None),
    ("radau5, Krylov", "radau5", ["--algebra", "krylov"], None),
    ("rodas, Krylov", "rodas", ["--algebra", "krylov"], None),
    ("CVODE, SPGMR, maxl 5", "cvode", ["--algebra", "krylov", "--opt", "maxl=5"], None),
    ("CVODE, SPGMR, maxl 10", "cvode", ["--algebra", "krylov", "--opt", "maxl=10"], None),
    ("CVODE, SPGMR, maxl 20", "cvode", ["--algebra", "krylov", "--opt", "maxl=20"], None),
]
HEAD = ["n", "solver, algebra", "rtol = atol", "CPU [s]", "memory [MiB]", "steps", "f", "Jacobians", "factorisations", "Krylov iterations", "ms/iteration", "digits"]


class Runs:
    def __init__(self, tool, problem, folder):
        self.tool, self.problem, self.folder = tool, problem, folder
        if folder:
            os.makedirs(folder, exist_ok=True)

    def __call__(self, name, size, solver, rtol, more, number=0):
        kept = self.folder and os.path.join(self.folder, f"{size}-{name.replace(', ', '-').replace(' ', '')}-{rtol:g}-{number}.json")
        if kept and os.path.exists(kept):
            with open(kept, encoding="utf-8") as f:
                return json.load(f)
        command = [self.tool, "run", self.problem, solver, "--set", f"N={size}", "--rtol", repr(rtol), "--atol", repr(rtol), "--repeat", "1",
                   "--max-steps", "1000000", "--format", "json", *more]
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode not in (0, 1):
            sys.exit(f"{' '.join(command)}\n{done.stderr}")
        if kept:
            with open(kept, "w", encoding="utf-8") as f:
                f.write(done.stdout)
        return json.loads(done.stdout)


def digits(y, truth):
    size = max(abs(v) for v in truth)
    error = max(abs(a - b) for a, b in zip(y, truth))
    return -math.log10(error / size) if error > 0 else math.inf


def line(n, name, rtol, r, truth):
    if r["outcome"] != "success":
        return f"| {n} | {name} | {rtol:.1e} | {r['outcome']}: {r['message']} |"
    its = r["extra"].get("krylov_iterations")
    return "| " + " | ".join(str(v) for v in [
        n, name, f"{rtol:.1e}", f"{r['cpu_s']:.2f}", f"{r['extra'].get('peak_memory_mib', 0):.0f}", r["steps"], r["nfev"] + r["nfev_jac"], r["njac"], r["nlu"],
        "" if its is None else int(its), "" if its is None else format(1e3 * r["cpu_s"] / its, ".3f"), f"{digits(r['y'], truth):.1f}" if truth else ""]) + " |"


def main():
    p = argparse.ArgumentParser()
    p.add_argument("tool")
    p.add_argument("problem")
    p.add_argument("sizes", nargs="+", type=int)
    p.add_argument("--rtol", type=float, default=1e-6)
    p.add_argument("--digits", type=float)
    p.add_argument("--repeat", type=int, default=1)
    p.add_argument("--only", default="")
    p.add_argument("--no-truth", action="store_true")
    p.add_argument("--truth", type=float)
    p.add_argument("--keep", default="")
    a = p.parse_args()
    if a.digits and a.no_truth:
        p.error("--digits given with --no-truth; allowed: one of them")
    runs = Runs(a.tool, a.problem, a.keep)
    print("| " + " | ".join(HEAD) + " |")
    print("|" + "---|" * len(HEAD), flush=True)
    for size in a.sizes:
        truth = None
        if not a.no_truth:
            tight = a.truth or a.rtol / 1000 / (10 ** max(0, a.digits - 6) if a.digits else 1)
            truth = runs("truth", size, "dassl", tight, ["--algebra", "krylov"])["y"]
        rows = [r for r in ROWS if a.only in r[0] and (r[3] is None or size <= r[3])]
        best = {}
        for number in range(a.repeat):
            for name, solver, more, _most in rows:
                for half_decades in range(8 if a.digits else 1):
                    rtol = float(f"{a.rtol / 10 ** (half_decades / 2):.2g}")
                    r = runs(name, size, solver, rtol, more, number)
                    if not a.digits or (r["outcome"] == "success" and digits(r["y"], truth) >= a.digits):
                        break
                if name not in best or r["cpu_s"] < best[name][1]["cpu_s"]:
                    best[name] = (rtol, r)
        for name, *_ in rows:
            print(line(2 * size * size, name, *best[name], truth), flush=True)


main()
