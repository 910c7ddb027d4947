#!/usr/bin/env python3
"""The choice of algebra in whole runs: CPU time with --algebra auto beside the best elimination that was asked for.

    bench/algebra_runs.py IVP [--problems a,b] [--solvers a,b] [--factors K,K] [--rtol R] [--rounds K] [--largest N] [--dense-below N] [--limit S]

IVP is the tool. The cases are the problems of the catalog whose matrix is not full, at their size and, if they have a parameter N, at two, four and eight
times its value (--factors: at these), with every implicit solver of ours that takes them. The ways of a case (auto, dense, and band or sparse) run in turn,
each in a process of its own, K times; the smallest CPU time counts. `auto` repeats one of the other two, so the two times of that way show the noise.
A way whose first run takes three times as long is not tried again. A row is printed if the choice is more than a tenth above the best (--all: every row). The last line has the largest ratio and the number of rows above 1.2; the exit code
is 1 if there are any.
"""
import argparse
import json
import subprocess
import sys

SOLVERS = "vode,dassl,radau5,radau,rodas,pside,bimd,gamd,mebdfi,mebdfdae"


def run(tool, problem, setting, solver, path, rtol, limit, once):
    command = [tool, "run", problem, solver, "--rtol", repr(rtol), "--algebra", path, "--timeout", str(limit), "--format", "json"]
    command += [w for s in setting for w in ("--set", s)] + (["--repeat", "1"] if once else ["--min-time", "0.02"])
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode == 2:
        return None
    if done.returncode not in (0, 1):
        sys.exit(f"{' '.join(command)}\n{done.stderr}")
    return json.loads(done.stdout)


def cases(a):
    listed = json.loads(subprocess.run([a.tool, "list", "problems", "--format", "json"], capture_output=True, text=True, check=True).stdout)
    for p in listed:
        if a.problems and p["id"] not in a.problems.split(","):
            continue
        shown = json.loads(subprocess.run([a.tool, "show", p["id"], "--format", "json"], capture_output=True, text=True, check=True).stdout)
        sizes = [x for x in shown.get("parameters", []) if x["name"] == "N"]
        for factor in [int(k) for k in a.factors.split(",")]:
            if factor == 1:
                yield p["id"], []
            elif sizes and factor * sizes[0]["default"] <= sizes[0]["max"]:
                yield p["id"], [f"N={int(factor * sizes[0]['default'])}"]


def measure(a, problem, setting, solver):
    """Milliseconds of each way, and the way that auto is; None if there is nothing to compare."""
    first = run(a.tool, problem, setting, solver, "auto", a.rtol, a.limit, True)
    if first is None or first["dimension"] > a.largest or first["outcome"] != "success":
        return None if first is None else first["outcome"], None, None
    ways = {"auto": first}
    has_structure = False
    for path in ("dense", "band", "sparse"):
        if path == "dense" and first["dimension"] > a.dense_below and first["algebra"] != "dense":
            continue
        r = run(a.tool, problem, setting, solver, path, a.rtol, a.limit, True)
        has_structure = has_structure or (r is not None and path != "dense")
        if r and r["outcome"] == "success" and (path == first["algebra"] or r["cpu_s"] < 3 * first["cpu_s"] + 1e-4):
            ways[path] = r
    if set(ways) == {"auto", "dense"} and first["algebra"] == "dense" and not has_structure:
        return "full", None, None
    if set(ways) == {"auto", first["algebra"]}:
        return "alone", None, None
    least = {way: r["cpu_s"] for way, r in ways.items()}
    for _ in range(a.rounds):
        for way in ways:
            r = run(a.tool, problem, setting, solver, way, a.rtol, a.limit, least[way] > 0.2)
            least[way] = min(least[way], r["cpu_s"])
    return "measured", {way: 1e3 * s for way, s in least.items()}, first


def main():
    p = argparse.ArgumentParser()
    p.add_argument("tool")
    p.add_argument("--problems", default="")
    p.add_argument("--solvers", default=SOLVERS)
    p.add_argument("--factors", default="1,2,4,8")
    p.add_argument("--rtol", type=float, default=1e-4)
    p.add_argument("--rounds", type=int, default=3)
    p.add_argument("--largest", type=int, default=40000)
    p.add_argument("--dense-below", type=int, default=1300)
    p.add_argument("--limit", type=float, default=60)
    p.add_argument("--all", action="store_true", help="print every row")
    a = p.parse_args()
    print("| problem | n | solver | dense [ms] | band or sparse [ms] | auto [ms] | auto is | beside the best | noise |\n|---|---:|---|---:|---:|---:|---|---:|---:|", flush=True)
    worst, where, count, above, alone, noise = 1.0, "none", 0, 0, 0, 1.0
    for problem, setting in cases(a):
        for solver in a.solvers.split(","):
            state, ms, r = measure(a, problem, setting, solver)
            if state == "full":
                break
            name = " ".join([problem, *setting])
            if state == "alone":
                alone += 1
                continue
            if state != "measured":
                if state is not None:
                    print(f"| {name} | | {solver} | {state} or too large |", flush=True)
                continue
            asked = ms.get(r["algebra"], ms["auto"])
            again = max(ms["auto"], asked) / min(ms["auto"], asked)  # the same way, measured twice; of a single run auto alone looks for an order
            ratio = ms["auto"] / min(ms.values())
            count += 1
            above += ratio > 1.2
            noise = max(noise, again)
            if ratio > worst:
                worst, where = ratio, f"{name}, {solver}"
            if a.all or ratio > 1.1 or again > 1.2:
                other = ms.get("band", ms.get("sparse"))
                show = lambda v: "" if v is None else format(v, ".4g")
                print(f"| {name} | {r['dimension']} | {solver} | {show(ms.get('dense'))} | {show(other)} | {show(ms['auto'])} | {r['algebra']} | {ratio:.2f} | {again:.2f} |", flush=True)
    print(f"\n{count} runs compared, {alone} more whose other way is at least three times as slow, or needs too much. The worst choice: {worst:.2f} ({where}); {above} above 1.2. The same way against itself: at most {noise:.2f}.")
    sys.exit(1 if above else 0)


main()
