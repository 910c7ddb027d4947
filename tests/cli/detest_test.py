"""`ivp detest` as a user meets it."""

import csv
import io
import json
import math
import os
import re
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import tool  # noqa: E402

FAST = ["--timing", "0"]


def assessed(*args):
    result = tool.run(["detest", *args, *FAST, "--format", "json"])
    if result.code != 0:
        raise AssertionError(str(result))
    return result.json()


class Store(unittest.TestCase):
    def test_an_assessment_is_kept_once_and_is_a_page_of_the_report(self):
        with tempfile.TemporaryDirectory() as folder:
            db = os.path.join(folder, "a.db")
            a = assessed("stiff", "radau5", "--groups", "A1", "--tol", "1e-2,1e-4", "--db", db)
            assessed("stiff", "radau5", "--groups", "A1", "--tol", "1e-2,1e-4", "--db", db)
            assessed("stiff", "radau5", "--groups", "A1", "--tol", "1e-2", "--db", db)
            rows = tool.run(["query", "--db", db, "--format", "csv", "SELECT json FROM assessment ORDER BY id"])
            self.assertEqual(rows.code, 0, rows)
            kept = [json.loads(line[0]) for line in list(csv.reader(io.StringIO(rows.out)))[1:]]
            self.assertEqual([len(k["tolerances"]) for k in kept], [2, 1])
            self.assertEqual(kept[0]["groups"][0]["problems"][0]["rows"][1]["accepted"], a["groups"][0]["problems"][0]["rows"][1]["accepted"])
            page = os.path.join(folder, "book.html")
            made = tool.run(["report", "--db", db, "--out", page])
            self.assertEqual(made.code, 0, made)
            with open(page, encoding="utf-8") as text:
                self.assertIn('id="assessment-radau5-stiff-1"', text.read())

    def test_nothing_is_assessed_where_the_store_cannot_be_written(self):
        for more, part in ((["--db", "/nowhere/a.db"], "/nowhere/a.db"), (["--db", "a.db", "--dummy"], "--db is given with --dummy")):
            result = tool.run(["detest", "stiff", "radau5", "--groups", "A1", *FAST, *more])
            self.assertEqual((result.code, result.out), (2, ""), result)
            self.assertIn(part, result.err)


class SeveralSolvers(unittest.TestCase):
    """Solvers side by side: text, CSV, LaTeX, a page of the report, and views for queries. Every number of the page is one of the store's."""

    NAMES = ["radau5", "rodas", "secder", "vode", "mebdfdae", "gamd"]

    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.db = os.path.join(cls.folder.name, "a.db")
        cls.result = tool.run(["detest", "stiff", ",".join(cls.NAMES), "--groups", "A1,A2;E2,E3", "--tol", "1e-2,1e-4,1e-6", *FAST, "--db", cls.db])
        assert cls.result.code == 0, cls.result
        page = os.path.join(cls.folder.name, "book.html")
        made = tool.run(["report", "--db", cls.db, "--out", page])
        assert made.code == 0, made
        with open(page, encoding="utf-8") as text:
            cls.book = text.read()
        start = cls.book.index('id="assessments-stiff-1"')
        cls.page = cls.book[start:cls.book.index("</article>", start)]

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def ask(self, sql):
        result = tool.run(["query", "--db", self.db, "--format", "csv", sql])
        self.assertEqual(result.code, 0, result)
        return list(csv.reader(io.StringIO(result.out)))[1:]

    def test_text(self):
        part = self.result.out[self.result.out.index("==== comparison ===="):]
        for words in (*self.NAMES, "TOL 1e-02", "by class", "work at equal error"):
            self.assertIn(words, part)

    SUMS = ("sum(reached_end), sum(1 - reached_end), sum(nfev * reached_end), sum(assessed_steps * reached_end), "
            "1.0 * sum(deceived_steps * reached_end) / sum(assessed_steps * reached_end), "
            "1.0 * sum(badly_deceived_steps * reached_end) / sum(assessed_steps * reached_end), "
            "1.0 * sum(steps_without_truth * reached_end) / sum((assessed_steps + steps_without_truth) * reached_end)")

    def tables(self):
        """Of each table its lines: the solver, and of each cell the number behind it and the text that is shown."""
        bodies = re.findall(r"<tbody>\n(.*?)</tbody>", self.page, re.S)
        return [[(solver, re.findall(r'<td(?: data-v="(.*?)")?[^>]*>(?:<span.*?</span>)?(.*?)</td>', cells))
                 for solver, cells in re.findall(r'<tr><th scope="row">(.*?)</th>(.*?)</tr>', body, re.S)] for body in bodies]

    def deceived(self, column="'all'", group=""):
        found = self.ask(f"SELECT solver, {column}, 1.0 * sum(deceived_steps * reached_end) / sum(assessed_steps * reached_end) "
                         f"FROM assessed_rows GROUP BY assessment{group}")
        return {(solver, key): float(share) for solver, key, share in found}

    def work(self):
        """Of each solver the geometric mean of its evaluations over the least of all, of what all have."""
        found = self.ask("SELECT r.solver, g.key || ' ' || json_extract(p.value, '$.name') || ' ' || json_extract(l.value, '$.digits'), "
                         "json_extract(l.value, '$.nfev') "
                         "FROM (SELECT DISTINCT assessment, solver FROM assessed_rows) r JOIN assessment a ON a.id = r.assessment, "
                         "json_each(a.json, '$.groups') g, json_each(g.value, '$.problems') p, json_each(p.value, '$.normalized.lines') l")
        by_place = {}
        for solver, place, nfev in found:
            by_place.setdefault(place, {})[solver] = float(nfev)
        common = [by for by in by_place.values() if len(by) == len(self.NAMES)]
        self.assertGreater(len(common), 0)
        return {name: math.exp(sum(math.log(by[name] / min(by.values())) for by in common) / len(common)) for name in self.NAMES}

    def check_cell(self, cell, number, where):
        value, text = cell
        self.assertAlmostEqual(float(value or text), number, delta=1e-8 * max(1, abs(number)), msg=str(where))
        thin = "\u202f" if abs(number) >= 10000 else ""  # between thousands
        shown = f"{100 * number:.2f} %" if text.endswith("%") else f"{number:.2f}" if "." in text else f"{number:,.0f}".replace(",", thin)
        self.assertEqual(text, shown, where)

    def test_every_number_of_the_tables_is_in_the_store(self):
        tables = self.tables()
        self.assertEqual(len(tables), 3)  # by tolerance, by class, costs
        asked = {
            "all": "SELECT solver, 'all', {} FROM assessed_rows GROUP BY assessment",
            "tol": "SELECT solver, tol, {} FROM assessed_rows GROUP BY assessment, tol",
            "class": "SELECT solver, class, {} FROM assessed_rows GROUP BY assessment, class",
        }
        for table, keys in zip(tables, (("all", "tol"), ("class",))):
            wanted = {(row[0], float(row[1]) if key == "tol" else row[1]): list(map(float, row[2:]))
                      for key in keys for row in self.ask(asked[key].format(self.SUMS))}
            self.assertEqual(len(table), len(wanted))
            for solver, (head, *cells) in table:
                key = (solver, float(head[0]) if head[0] else head[1])
                numbers = wanted.pop(key)
                self.assertEqual(len(cells), len(numbers))
                for cell, number in zip(cells, numbers):
                    self.check_cell(cell, number, key)
            self.assertEqual(wanted, {})
        self.assertIn(f"<h1>{len(self.NAMES)} solvers on the stiff problems</h1>", self.page)

    def test_the_costs_are_in_the_store(self):
        work = self.work()
        deceived = {solver: share for (solver, _), share in self.deceived().items()}
        self.assertEqual([solver for solver, _ in self.tables()[2]], self.NAMES)
        for solver, (factor, share, beaten) in self.tables()[2]:
            self.check_cell(factor, work[solver], solver)
            self.check_cell(share, deceived[solver], solver)
            better = [o for o in self.NAMES if work[o] <= work[solver] and deceived[o] <= deceived[solver] and (work[o], deceived[o]) != (work[solver], deceived[solver])]
            self.assertEqual(beaten[1], "yes" if better else "no", solver)
            self.assertIn(f"{solver}: {work[solver]:.2f} times the work, {100 * deceived[solver]:.2f} % deceived", self.page)
        for (solver, tol), share in self.deceived("tol", ", tol").items():
            self.assertIn(f"{solver} at {float(tol):.0e}: {100 * share:.2f} %", self.page)

    def plots(self):
        """Of each figure its axis, and of each solver the points of its curve in the units of the axes."""
        for svg in re.findall(r'<svg class="plot".*?</svg>', self.page, re.S):
            left, top, right, bottom = map(float, re.search(r'data-box="(.*?)"', svg)[1].split())
            axes = []
            for name, begin, end in (("x", left, right), ("y", bottom, top)):
                kind, low, high = re.search(rf'data-{name}="(.*?)"', svg)[1].split()
                low, high = (math.log10(float(v)) if kind == "log" else float(v) for v in (low, high))
                axes.append((begin, end, low, high, kind == "log"))

            def point(words, axes=axes):
                numbers = [low + (float(word) - begin) / (end - begin) * (high - low) for word, (begin, end, low, high, _) in zip(words, axes)]
                return tuple(10 ** v if axis[4] else v for v, axis in zip(numbers, axes))
            curves = [[point(words) for words in re.findall(r"[ML]([\d.-]+) ([\d.-]+)", d)]
                      for d in re.findall(r'<g class="series[^>]*><path class="line" d="(.*?)"', svg)]
            yield re.search(r'class="title xt"[^>]*>(.*?)<', svg)[1], curves

    def test_the_curves_are_those_of_the_store(self):
        plots = list(self.plots())
        tolerances = sorted({float(tol) for _, tol in self.deceived("tol", ", tol")}, reverse=True)
        by_tolerance = {(solver, float(tol)): share for (solver, tol), share in self.deceived("tol", ", tol").items()}
        self.assertEqual(plots[0][0], "digits asked for: −log₁₀ TOL")
        self.assertEqual(len(plots[0][1]), len(self.NAMES))
        for solver, curve in zip(self.NAMES, plots[0][1]):
            self.assertEqual(len(curve), len(tolerances))
            for (x, y), tol in zip(curve, tolerances):
                self.assertAlmostEqual(x, -math.log10(tol), delta=0.01)
                self.assertAlmostEqual(y, 100 * by_tolerance[solver, tol], delta=0.05)
        # Badly deceived, without a truth, and each class.
        sums = {"badly": "sum(badly_deceived_steps * reached_end) / sum(assessed_steps * reached_end)",
                "without": "sum(steps_without_truth * reached_end) / sum((assessed_steps + steps_without_truth) * reached_end)",
                "A": "sum(deceived_steps * reached_end) / sum(assessed_steps * reached_end)"}
        sums["E"] = sums["A"]
        figures = [plot for plot in plots[1:] if plot[0] == plots[0][0]]
        self.assertEqual(len(figures), len(sums))
        for (name, sum_of), (_, curves) in zip(sums.items(), figures):
            where = f"WHERE class = '{name}' " if len(name) == 1 else ""
            found = {(solver, float(tol)): float(share) for solver, tol, share in
                     self.ask(f"SELECT solver, tol, 1.0 * {sum_of} FROM assessed_rows {where}GROUP BY assessment, tol")}
            self.assertEqual(len(curves), len(self.NAMES))
            for solver, curve in zip(self.NAMES, curves):
                self.assertEqual([round(x) for x, _ in curve], [round(-math.log10(tol)) for tol in tolerances])
                for (_, y), tol in zip(curve, tolerances):
                    self.assertAlmostEqual(y, 100 * found[solver, tol], delta=0.2, msg=f"{name} {solver} {tol}")
        shown = [plot for plot in plots if plot[0].startswith("local error")]
        self.assertEqual([axis for axis, _ in shown], ["local error / bound", "local error / TOL"] * len(tolerances))
        for number, (axis, curves) in enumerate(shown):
            against = "errors_by_bound" if axis.endswith("bound") else "errors_by_tolerance"
            found = self.ask("SELECT solver, tenths_of_a_power, sum(steps) FROM assessed_errors "
                             f"WHERE against = '{against}' AND tol = {tolerances[number // 2]!r} GROUP BY assessment, tenths_of_a_power ORDER BY 2")
            self.assertEqual(len(curves), len(self.NAMES))
            for solver, curve in zip(self.NAMES, curves):
                counts = [(int(k), float(steps)) for name, k, steps in found if name == solver]
                total = sum(steps for _, steps in counts)
                below, corners = 0, []
                for k, steps in counts:  # a step upwards at the end of each class
                    x = min(max(10 ** (0.1 * (int(k) + 1)), 1e-5), 1e3)
                    corners += [(x, below / total), (x, (below + steps) / total)]
                    below += steps
                for x, y in curve:
                    self.assertTrue(any(abs(math.log10(x / u)) < 0.01 and abs(y - v) < 0.002 for u, v in corners), (axis, solver, x, y))
                self.assertAlmostEqual(curve[-1][1], 1, delta=0.001)
                for x, share in corners[1::2]:
                    reached = max((y for u, y in curve if u <= x * 1.01), default=0)
                    self.assertAlmostEqual(reached, share, delta=0.002, msg=f"{axis} {solver} {x}")

    def test_the_dashed_line_joins_the_solvers_that_nobody_beats(self):
        table = re.search(r"another solver is better.*?<tbody>\n(.*?)</tbody>", self.book, re.S)[1]
        rows = [re.search(r'row">(.*?)</th><td data-v="(.*?)".*?data-v="(.*?)".*?<td>(yes|no)</td></tr>', line) for line in table.splitlines()]
        found = {row[1]: (float(row[2]), float(row[3]), row[4]) for row in rows}
        self.assertGreaterEqual(len(found), 4)
        shares = {solver: share for (solver, *_), share in self.deceived("set_name", "").items()}
        free = 0
        for solver, (work, deceived, said) in found.items():
            self.assertAlmostEqual(deceived, shares[solver], delta=1e-6, msg=solver)
            beaten = any(w <= work and d <= deceived and (w, d) != (work, deceived) for w, d, _ in found.values())
            self.assertEqual(said, "yes" if beaten else "no", solver)
            free += not beaten
        svg = re.search(r"<svg(?:(?!</svg>).)*work at equal achieved error.*?</svg>", self.book, re.S)[0]
        corners = re.findall(r"[ML][\d.-]+ [\d.-]+", re.search(r'<path class="diagonal" d="(.*?)"', svg)[1])
        self.assertEqual(len(corners), 2 * free - 1, "a corner between each two of them")
        self.assertGreaterEqual(free, 1)
        self.assertLess(free, len(found))

    def test_views(self):
        self.assertEqual(self.ask("SELECT count(*), count(DISTINCT solver) FROM assessed_rows"), [["72", "6"]])
        self.assertEqual(self.ask("SELECT DISTINCT class FROM reliability ORDER BY class"), [["A"], ["E"]])
        counted = self.ask("SELECT solver, sum(steps) FROM assessed_errors WHERE against = 'errors_by_bound' GROUP BY solver ORDER BY solver")
        self.assertEqual(counted, self.ask("SELECT solver, sum(assessed_steps) FROM assessed_rows GROUP BY solver ORDER BY solver"))
        above = self.ask("SELECT sum(steps) FROM assessed_errors WHERE against = 'errors_by_bound' AND tenths_of_a_power >= 0")
        self.assertEqual(above, self.ask("SELECT sum(deceived_steps) FROM assessed_rows"))
        wrong = tool.run(["query", "--db", self.db, "SELECT nonsense FROM assessed_rows"])
        self.assertEqual(wrong.code, 2)
        self.assertIn("columns of assessed_rows: assessment, set_name, solver", wrong.err)

    def test_csv_and_latex(self):
        arguments = ["detest", "nonstiff", "dopri5,dop853", "--groups", "A1", "--tol", "1e-3,1e-5", *FAST]
        lines = list(csv.DictReader(io.StringIO(tool.run([*arguments, "--format", "csv"]).out)))
        self.assertEqual([(line["solver"], float(line["tol"])) for line in lines], [("dopri5", 1e-3), ("dopri5", 1e-5), ("dop853", 1e-3), ("dop853", 1e-5)])
        self.assertTrue(all(int(line["assessed_steps"]) > 0 for line in lines))
        latex = tool.run([*arguments, "--format", "latex"]).out
        self.assertRegex(latex, r"(?s)\\begin\{tabular\}\{lrrrrr\}.*dopri5 & .*\\\\\n\\bottomrule")
        several = tool.run([*arguments, "--format", "json"]).json()
        self.assertEqual([a["solver"] for a in several], ["dopri5", "dop853"])
        self.assertEqual([a["norm"] for a in several], ["rms", "rms"], "that of their own error control")

    def test_a_deceived_step_can_be_looked_at(self):
        found = self.ask("SELECT sum(deceived_steps) FROM assessed_rows")[0][0]
        self.assertEqual(int(found) > 0, 'class="deceived"' in self.book)

    def test_a_page_has_summaries_of_classes(self):
        found = self.ask("SELECT solver, class, tol, sum(nfev * reached_end), sum(steps_without_truth * reached_end) FROM assessed_rows "
                         "GROUP BY assessment, class, tol ORDER BY assessment, class, tol DESC")
        for solver in self.NAMES:
            start = self.book.index(f'id="assessment-{solver}-stiff-')
            page = self.book[start:self.book.index("</article>", start)]
            bodies = re.findall(r"All of them together:</p>\n.*?<tbody>\n(.*?)</tbody>", page, re.S)
            shown = [[float(v) for v in re.findall(r'data-v="(.*?)"', row)] for body in bodies for row in body.splitlines()]
            # time, #f, #Jac, #LU, steps, deceived, badly, no truth, ...
            self.assertEqual([(row[1], row[7]) for row in shown], [(float(nfev), float(without)) for name, _, _, nfev, without in found if name == solver])
            self.assertNotIn("overhead</th>", page, "nothing was repeated, so the costs of evaluations are not known")

    def test_lines_that_rounding_decides(self):
        """The mark says what happens if the tolerance differs in its last digits: here such runs are made and compared one by one."""
        tolerances = [1e-3, 1e-6, 1e-9]

        def rows(tolerances, *options):
            given = ",".join(repr(tol) for tol in tolerances)
            a = assessed("nonstiff", "dverk", "--groups", "F3,F5,A1", "--tol", given, *options)
            return {(p["name"], place): r for p in a["groups"][0]["problems"] for place, r in enumerate(p["rows"])}

        def apart(a, b, least):
            return (a is None) != (b is None) or (a is not None and abs(a - b) > max(least, 0.02 * max(a, b)))

        def differ(a, b):
            counts = any(apart(a[c], b[c], 0.5) for c in ("accepted", "nfev", "deceived_steps"))
            return a["code"] != b["code"] or counts or any(apart(a[e], b[e], 0.01) for e in ("max_local_error", "max_global_error"))

        marked = rows(tolerances, "--rounding")
        moved = rows([tol * (1 + 1e-12) for tol in tolerances])
        for line, r in marked.items():
            self.assertEqual(r["rounding_decides"], differ(r, moved[line]), line)
        self.assertFalse(any(marked["A1", place]["rounding_decides"] for place in range(3)), "a smooth problem")
        self.assertTrue(any(marked["F3", place]["rounding_decides"] for place in range(3)), "a discontinuity that steps meet by chance")
        self.assertIsNone(assessed("nonstiff", "dverk", "--groups", "A1", "--tol", "1e-4")["groups"][0]["problems"][0]["rows"][0]["rounding_decides"])

    def test_compare_knows_assessments(self):
        other = os.path.join(self.folder.name, "b.db")
        result = tool.run(["detest", "stiff", "radau5", "--groups", "A1,A2;E2,E3", "--tol", "1e-2,1e-4,1e-6", *FAST, "--db", other])
        self.assertEqual(result.code, 0, result)
        same = tool.run(["compare", other, other])
        self.assertEqual(same.code, 0, same)
        self.assertIn("12 lines of assessments (DETEST) are in both", same.out)
        less = tool.run(["compare", self.db, other])
        self.assertEqual(less.code, 1, less)
        self.assertIn("Assessments missing in", less.out)
        self.assertIn("secder on the stiff problems, level 3", less.out)
        changed = os.path.join(self.folder.name, "c.db")
        with open(other, "rb") as source, open(changed, "wb") as target:
            target.write(source.read())
        import sqlite3
        with sqlite3.connect(changed) as db:
            db.execute("UPDATE assessment SET json = json_set(json, '$.groups[0].problems[0].rows[1].accepted', 7)")
        db.close()
        told = tool.run(["compare", other, changed])
        self.assertEqual(told.code, 1, told)
        self.assertRegex(told.out, r"radau5 +stiff +A1 +\S+ +accepted \d+ -> 7")


class Assessment(unittest.TestCase):
    def test_json(self):
        a = assessed("stiff", "radau5", "--groups", "A1,-D2;E2", "--tol", "1e-2,1e-4,1e-6", "--normalize", "end", "--norm", "rms")
        self.assertEqual((a["solver"], a["set"], a["level"], a["norm"], a["normalize"]), ("radau5", "stiff", 3, "rms", "end"))
        self.assertEqual([[(p["name"], p["scaled"]) for p in g["problems"]] for g in a["groups"]], [[("A1", True), ("D2", False)], [("E2", True)]])
        for group in a["groups"]:
            self.assertEqual([line["tol"] for line in group["summary"]], [1e-2, 1e-4, 1e-6])
            for p in group["problems"]:
                self.assertEqual(len(p["rows"]), 3)
                self.assertEqual(p["fit"]["end"]["values"], 3)
                self.assertEqual(p["normalized"]["by"], "end")
                for row in p["rows"]:
                    self.assertEqual(row["outcome"], "success")
                    self.assertEqual(row["assessed_steps"], row["lumped_steps"])
                    self.assertEqual(row["x_reached"], row["x_true"])
        self.assertEqual(a["overall"]["total"]["runs"], 9)
        self.assertEqual(a["overall"]["total"]["nfev"], sum(line["nfev"] for line in a["overall"]["by_tolerance"]))
        self.assertIn("detest stiff radau5", a["command"])

    def test_levels_know_what_they_measured(self):
        for level, known in ((1, "end_error"), (2, "max_global_error"), (3, "max_local_error"), (4, "scatter")):
            row = assessed("nonstiff", "dopri5", "--groups", "B5", "--tol", "1e-4", "--level", str(level))["groups"][0]["problems"][0]["rows"][0]
            for name, from_level in (("end_error", 1), ("max_global_error", 2), ("max_local_error", 3), ("scatter", 4)):
                self.assertEqual(row.get(name) is not None, level >= from_level, (level, known, name))

    def test_tables(self):
        text = tool.run(["detest", "stiff", "secder", "--as-1986", "--groups", "E1,E3", *FAST]).out
        for words in ("Stiff DETEST of secder", "E1 scaled", "MAT", "DECEIVED", "summary of the group", "summary of all groups", "overall",
                      "smoothness of the maximum error", "seconds were spent in true solutions"):
            self.assertIn(words, text)
        self.assertTrue(all(len(line) <= 132 for line in text.splitlines()), text)
        text = tool.run(["detest", "nonstiff", "dverk", "--groups", "B1", "--level", "4", "--tol", "1e-3,1e-5,1e-7", "--normalize", "max", *FAST]).out
        self.assertEqual(len(re.findall(r"(?m)^ +\S+\|.{36}\|$", text)), 3 * 12)
        self.assertIn("normalized efficiency, by the maximum error", text)
        self.assertNotIn("MAT", text)

    def test_published_numbers(self):
        rows = assessed("nonstiff", "dverk", "--as-1986", "--groups", "-B1")["groups"][0]["problems"][0]["rows"]
        self.assertEqual([r["nfev"] for r in rows], [278, 491, 961, 1825])
        self.assertEqual([r["accepted"] for r in rows], [26, 50, 100, 208])

    def test_truth_in_quadruple_precision(self):
        arguments = ("stiff", "radau5", "--groups", "E2", "--tol", "1e-4")
        classic, quad = (assessed(*arguments, "--truth", t)["groups"][0]["problems"][0]["rows"][0] for t in ("classic", "quad"))
        self.assertEqual(classic["nfev"], quad["nfev"])
        self.assertAlmostEqual(classic["max_global_error"] / quad["max_global_error"], 1, delta=0.2)
        self.assertNotEqual(classic["max_global_error"], quad["max_global_error"])

    def test_bound(self):
        arguments = ("stiff", "radau5", "--groups", "E2", "--tol", "1e-6")
        reported, tolerance = (assessed(*arguments, "--bound", b)["groups"][0]["problems"][0]["rows"][0] for b in ("reported", "tolerance"))
        self.assertGreater(tolerance["max_local_error"], 5 * reported["max_local_error"])
        earlier = assessed(*arguments, "--bound", "told")["groups"][0]["problems"][0]["rows"][0]  # its name in earlier versions
        self.assertEqual(earlier["max_local_error"], reported["max_local_error"])

    def test_timing_and_overhead(self):
        row = tool.run(["detest", "stiff", "radau5", "--groups", "A1", "--tol", "1e-4", "--format", "json"]).json()
        row = row["groups"][0]["problems"][0]["rows"][0]
        self.assertIn(row["repetitions"], range(3, 11))
        self.assertGreater(row["time_s"], 0)
        self.assertLess(row["overhead_s"], row["time_s"])

    def test_other_problems(self):
        a = assessed("stiff", "radau5", "--problems", "hires,detest-s-a1", "--tol", "1e-4")
        (group,) = a["groups"]
        self.assertEqual([p["name"] for p in group["problems"]], ["hires", "A1"])
        self.assertEqual(group["problems"][0]["weights"][:2], [1, 0.132])
        self.assertLess(group["problems"][0]["rows"][0]["end_error"], 100)
        a = assessed("stiff", "radau5", "--groups", "A1", "--problems=-vdpol", "--tol", "1e-4", "--level", "1")
        self.assertEqual([[(p["name"], p["scaled"]) for p in g["problems"]] for g in a["groups"]], [[("A1", True)], [("vdpol", False)]])

    def test_a_failure_is_a_row(self):
        a = assessed("stiff", "dopri5", "--groups", "D6", "--tol", "1e-2", "--max-steps", "1000")
        (row,) = a["groups"][0]["problems"][0]["rows"]
        self.assertNotEqual(row["outcome"], "success")
        self.assertNotEqual(row["message"], "")
        self.assertIsNone(row["end_error"])
        self.assertEqual(a["overall"]["total"]["failed"], 1)

    def test_plugins(self):
        a = assessed("stiff", tool.example("rosenbrock"), "--groups", "A1", "--tol", "1e-3", "--level", "4")
        self.assertEqual(a["solver"], "rosenbrock")
        self.assertEqual(a["groups"][0]["problems"][0]["rows"][0]["outcome"], "success")

    def test_dummy(self):
        text = tool.run(["detest", "stiff", "radau5", "--dummy", "--groups", "C1"]).out
        self.assertEqual(len(re.findall(r"(?m)^step \d: x = ", text)), 5)
        self.assertIn("5 steps reported", text)
        self.assertIn("C1 scaled, TOL 1.0e-02", text)


class Data(unittest.TestCase):
    def test_weights(self):
        result = tool.run(["detest", "weights", "--problems", "detest-s-a2,hires", "--format", "json"]).json()
        self.assertEqual([r["id"] for r in result], ["detest-s-a2", "hires"])
        for computed, stored in zip(result[0]["weights"], result[0]["stored"]):
            self.assertAlmostEqual(computed / stored, 1, delta=0.006)
        self.assertEqual(result[1]["stored"], [])
        self.assertIn("deviation", tool.run(["detest", "weights", "--problems", "detest-n-a3"]).out)

    def test_timing(self):
        (result,) = tool.run(["detest", "timing", "--problems", "detest-s-a2", "--format", "json"]).json()
        self.assertEqual((result["id"], result["dimension"]), ("detest-s-a2", 9))
        for name in ("evaluation_s", "jacobian_s", "factorisation_s"):
            self.assertGreater(result[name], 0)
            self.assertLess(result[name], 1e-4)


class WrongUse(unittest.TestCase):
    def refused(self, args, *faults):
        """Each fault is one message that contains all its words."""
        with self.subTest(" ".join(args)):
            result = tool.run(["detest", *args])
            self.assertEqual(result.code, 2, result)
            self.assertEqual(result.out, "", result)
            messages = result.faults()
            self.assertEqual(len(messages), len(faults), result)
            for words, message in zip(faults, messages):
                for word in (words,) if isinstance(words, str) else words:
                    self.assertIn(word, message)

    def test_one_fault(self):
        good = ["nonstiff", "dverk"]
        self.refused([], "what to do (stiff, nonstiff, weights or timing)")
        self.refused(["stif", "radau5"], ("'stif' given", "did you mean 'stiff'"))
        self.refused(["stiff"], "a solver is missing")
        self.refused(["stiff", "radua5"], "did you mean 'radau5'")
        self.refused([*good, "--level", "0"], ("--level: 0 given", "1, 2, 3, 4"))
        self.refused([*good, "--level", "5"], "--level: 5 given")
        self.refused([*good, "--level", "two"], "--level: 'two' given")
        self.refused([*good, "--normalize", "3"], ("--normalize: '3'", "none, end, max"))
        self.refused([*good, "--normalize", "max", "--level", "1"], "--normalize: max given with level 1")
        self.refused([*good, "--norm", "4"], ("--norm: '4'", "max, l2, rms"))
        self.refused([*good, "--tol", "1e-4,1e-2"], "--tol: 0.01 given after 1e-04")
        self.refused([*good, "--tol", "1e-4,1e-4"], "each smaller than the one before")
        self.refused([*good, "--tol", "1e-4,-1e-6"], "--tol: -1e-06 given")
        self.refused([*good, "--tol", "1e-4,0"], "--tol: 0 given")
        self.refused([*good, "--tol", ",".join(f"1e-{k}" for k in range(1, 12))], "11 tolerances given; allowed: 1 to 10")
        self.refused([*good, "--tol", "abc"], "--tol: 'abc' given")
        self.refused([*good, "--groups", "A6"], ("--groups: 'A6' given", "nonstiff", "A1-A5"))
        self.refused([*good, "--groups", ""], "--groups: '' given")
        self.refused([*good, "--groups", "A1;A2;A3;A4;A5;B1;B2"], "7 groups given; allowed: 1 to 6")
        self.refused([*good, "--problems", "hirs"], "did you mean 'hires'")
        self.refused([*good, "--truth", "exact"], ("--truth: 'exact'", "classic, quad"))
        self.refused([*good, "--bound", "any"], ("--bound: 'any'", "reported, tolerance"))
        self.refused([*good, "--extrapolation", "maybe"], ("--extrapolation: 'maybe'", "yes, no"))
        self.refused([*good, "--timing", "-1"], "--timing: -1 given")
        self.refused([*good, "--timeout", "0"], "--timeout: 0 given")
        self.refused([*good, "--max-steps", "0"], "--max-steps: '0' given")
        self.refused([*good, "--opt", "nonsense=1"], "unknown option 'nonsense'")
        self.refused([*good, "--format", "html"], "--format: 'html'")
        self.refused([*good, "--dummy", "--format", "json"], "--dummy")
        self.refused([*good, "extra"], "extra")
        self.refused([*good, "--levle", "3"], "did you mean '--level'")

    def test_a_solver_that_cannot_take_it(self):
        self.refused(["stiff", "dopri5", "--problems", "chemakzo_dae", "--truth", "quad"], "dopri5 cannot take")
        self.refused(["stiff", "radau5", "--problems", "chemakzo_dae"], ("classic given", "quad, or level 1"))
        self.refused(["stiff", "radau5", "--problems", "andrews", "--truth", "quad"], "'andrews' has index 3")

    def test_options_that_mean_nothing(self):
        self.refused(["weights", "radau5", "--level", "2"], "a solver is given with 'weights'", "--level is given with 'weights'")
        self.refused(["timing", "--problems", "hirs"], "did you mean 'hires'")

    def test_all_faults_at_once(self):
        self.refused(["stiff", "radua5", "--level", "7", "--normalize", "x", "--norm", "y", "--tol", "1,2,-3", "--groups", "Z1", "--truth", "t"],
                     "--normalize", "--norm:", "--truth", "--level: 7", "--tol: 2 given after 1", "--tol: -3", "radua5", "Z1")


if __name__ == "__main__":
    unittest.main()
