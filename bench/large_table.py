#!/usr/bin/env python3
"""Large systems: one table of time, memory, steps and iterations, on the Brusselator in two dimensions.

    bench/large_table.py IVP PROBLEM N... [--rtol R] [--only WORD] [--repeat K] [--no-truth]

IVP is the tool, PROBLEM the Brusselator (an id or a plug-in), N the points in each direction (2 N^2 equations). Each row is one `ivp run` in a process of
its own; the rows of a size are run in turn, K times, and the smallest CPU time counts. Digits are the number of correct digits beside a run with a
tolerance a thousand times as tight, in the largest difference over all components, relative to the largest component.
"""
import argparse
import json
import math
import subprocess
import sys

ROWS = [  # name, solver, further arguments, largest N
    ("vode, direct", "vode", ["--algebra", "sparse"], 300),
    ("radau5, direct", "radau5", ["--algebra", "sparse"], 300),
    ("CVODE, KLU", "cvode", ["--algebra", "sparse"], 300),
    ("vode, Krylov", "vode", ["--algebra", "krylov"], None),
    ("dassl, Krylov", "dassl", ["--algebra", "krylov"], None),
    ("radau5, Krylov", "radau5", ["--algebra", "krylov"], None),
    ("rodas, Krylov", "rodas", ["--algebra", "krylov"], None),
    ("CVODE, SPGMR, maxl 5", "cvode", ["--algebra", "krylov", "--opt", "maxl=5"], None),
    ("CVODE, SPGMR, maxl 10", "cvode", ["--algebra", "krylov", "--opt", "maxl=10"], None),
    ("CVODE, SPGMR, maxl 20", "cvode", ["--algebra", "krylov", "--opt", "maxl=20"], None),
]


def run(tool, problem, size, solver, rtol, more):
    command = [tool, "run", problem, solver, "--set", f"N={size}", "--rtol", repr(rtol), "--atol", repr(rtol), "--repeat", "1", "--format", "json", *more]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode not in (0, 1):
        sys.exit(f"{' '.join(command)}\n{done.stderr}")
    return json.loads(done.stdout)


def digits(y, truth):
    size = max(abs(v) for v in truth)
    error = max(abs(a - b) for a, b in zip(y, truth))
    return -math.log10(error / size) if error > 0 else math.inf


def main():
    p = argparse.ArgumentParser()
    p.add_argument("tool")
    p.add_argument("problem")
    p.add_argument("sizes", nargs="+", type=int)
    p.add_argument("--rtol", type=float, default=1e-6)
    p.add_argument("--repeat", type=int, default=1)
    p.add_argument("--only", default="")
    p.add_argument("--no-truth", action="store_true")
    a = p.parse_args()
    print("| n | solver, algebra | CPU [s] | memory [MiB] | steps | f | Jacobians | factorisations | Krylov iterations | ms/iteration | digits |")
    print("|---|---|---|---|---|---|---|---|---|---|---|", flush=True)
    for size in a.sizes:
        truth = None if a.no_truth else run(a.tool, a.problem, size, "vode", a.rtol / 1000, ["--algebra", "krylov", "--max-steps", "1000000"])["y"]
        rows = [r for r in ROWS if a.only in r[0] and (r[3] is None or size <= r[3])]
        best = {}
        for _ in range(a.repeat):
            for name, solver, more, _most in rows:
                r = run(a.tool, a.problem, size, solver, a.rtol, more)
                if name not in best or r["cpu_s"] < best[name]["cpu_s"]:
                    best[name] = r
        for name, *_ in rows:
            r = best[name]
            if r["outcome"] != "success":
                print(f"| {2 * size * size} | {name} | {r['outcome']}: {r['message']} |", flush=True)
                continue
            its = r["extra"].get("krylov_iterations")
            correct = f"{digits(r['y'], truth):.1f}" if truth else ""
            print(f"| {2 * size * size} | {name} | {r['cpu_s']:.2f} | {r['extra'].get('peak_memory_mib', 0):.0f} | {r['steps']} | {r['nfev'] + r['nfev_jac']} | "
                  f"{r['njac']} | {r['nlu']} | {'' if its is None else int(its)} | {'' if its is None else format(1e3 * r['cpu_s'] / its, '.3f')} | {correct} |",
                  flush=True)


main()
