// The report in a browser (chromium, headless): what a person clicks, and that the numbers shown are those of the store.
// Ends with 77 (skipped) and the word `unavailable` where node's modules or the browser are missing.
"use strict";
const assert = require("node:assert/strict");
const fs = require("node:fs");
const os = require("node:os");
const path = require("node:path");
const { execFileSync } = require("node:child_process");

function need(name, find) {
  try {
    return find();
  } catch (error) {
    console.log(`unavailable: ${name} (${error.message.split("\n")[0]})`);
    process.exit(77);
  }
}

const modules = path.join(process.env.IVP_SOURCE, "build", "browser", "node_modules");
const load = (name) => require(require.resolve(name, { paths: [modules, ...(process.env.NODE_PATH ?? "").split(":").filter(Boolean)] }));
const { chromium } = need("playwright-core", () => load("playwright-core"));
const browserPath = need("chromium", () => {
  const found = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"].find((p) => fs.existsSync(p));
  if (!found) throw new Error("no browser found");
  return found;
});
const tool = process.env.IVP_TOOL;
const ivp = (...args) => execFileSync(tool, args, { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"], maxBuffer: 1 << 28 });

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "ivp-report-"));
const db = path.join(folder, "x.db"), page = path.join(folder, "x.html"), plan = path.join(folder, "x.toml");
fs.writeFileSync(plan, `name = "browser"
repeat = 1
max_steps = 2000
rtol = [1e-4, 1e-6, 1e-8, 1e-10]
[[runs]]
problems = ["hires", "vdpol", "plei", "andrews"]
solvers = ["radau5", "rodas", "dassl", "bimd", "mebdfi"]
[[runs]]
problems = ["orego", "rober"]
solvers = ["radau5", "rodas", "dassl", "bimd", "mebdfi"]
[[runs]]
problems = ["plei", "orego"]
solvers = ["dopri5"]
[[runs]]
problems = ["pump"]
solvers = ["bimd"]
rtol = [1e-3, 1e-5]
`);
ivp("campaign", plan, "--db", db);
ivp("report", "--db", db, "--out", page);
const stored = ivp("records", "--db", db, "--jsonl").trim().split("\n").map((line) => JSON.parse(line));
const ofRun = (problem, solver, rtol) => stored.find((r) => r.problem === problem && r.solver === solver && r.rtol === rtol);

// ---- The statistics once more, from the store alone: first in SQL ----
const sql = (text) => JSON.parse(ivp("query", text, "--db", db, "--format", "json"));
/** Work for so many digits of each solver on each problem, on the straight line between neighbouring tolerances. */
const workSql = (digits, work) => `
  WITH points AS (SELECT problem, solver, rtol_asked, outcome = 'success' AND mescd IS NOT NULL AS good, mescd AS d, log10(${work}) AS w FROM runs WHERE parameters = '{}'),
       pairs AS (SELECT *, lead(good) OVER o AS good2, lead(d) OVER o AS d2, lead(w) OVER o AS w2 FROM points WINDOW o AS (PARTITION BY problem, solver ORDER BY rtol_asked DESC)),
       offers AS (SELECT problem, solver, w FROM pairs WHERE good AND d >= ${digits}
                  UNION ALL
                  SELECT problem, solver, w + (${digits} - d) / (d2 - d) * (w2 - w) FROM pairs WHERE good AND good2 AND (d < ${digits}) <> (d2 < ${digits}))
  SELECT problem, solver, min(w) AS least FROM offers GROUP BY problem, solver`;

// ---- And by hand ----
const curve = (problem, solver) => stored.filter((r) => r.problem === problem && r.solver === solver).sort((a, b) => b.rtol - a.rtol);
function workFor(problem, solver, digits) {
  const points = curve(problem, solver).map((r) => (r.outcome === "success" ? [r.mescd, Math.log10(r.nfev + r.nfev_jac)] : null));
  const offers = [];
  points.forEach((a, k) => {
    if (!a) return;
    if (a[0] >= digits) offers.push(a[1]);
    const b = points[k + 1];
    if (b && (a[0] - digits) * (b[0] - digits) < 0) offers.push(a[1] + ((digits - a[0]) * (b[1] - a[1])) / (b[0] - a[0]));
  });
  return offers.length ? Math.min(...offers) : null;
}
function bestShare(solver, among, digits, problems) {
  let solved = 0, best = 0;
  for (const p of problems) {
    const all = among.map((s) => workFor(p, s, digits)).filter((w) => w !== null);
    if (all.length === 0) continue;
    solved += 1;
    const own = workFor(p, solver, digits);
    if (own !== null && own <= Math.min(...all) + 1e-12) best += 1;
  }
  return best / solved;
}

(async () => {
  const browser = await chromium.launch({ executablePath: browserPath, args: ["--no-sandbox"] });
  const patience = 600000; // ms: a busy machine is slow, and that is no fault of the page
  const newPage = async (options) => {
    const made = await browser.newPage(options);
    made.setDefaultTimeout(patience);
    made.setDefaultNavigationTimeout(patience);
    return made;
  };
  const view = await newPage({ viewport: { width: 1280, height: 900 } });
  const outside = [], errors = [];
  view.on("request", (r) => { if (!r.url().startsWith("file:")) outside.push(r.url()); });
  view.on("pageerror", (e) => errors.push(e.message));
  view.on("console", (m) => { if (m.type() === "error") errors.push(m.text()); });
  const checks = [];
  const check = (name, work) => checks.push([name, work]);
  let changed = true; // a check that leaves something chosen says so: then the file is read again, which takes a second
  const go = async (hash) => {
    if (changed || view.url().includes("?") || !view.url().includes("x.html")) await view.goto("about:blank");
    changed = false;
    await view.goto(`file://${page}#${hash}`);
    await view.waitForSelector(`.page.current`);
  };

  check("it opens within two seconds", async () => {
    const began = Date.now();
    await go("start");
    const ms = Date.now() - began;
    assert.ok(ms < 2000 || os.loadavg()[0] > os.cpus().length, `${ms} ms`);
    assert.equal(await view.locator(".page.current").count(), 1);
  });

  check("the start page counts the runs of the store", async () => {
    await go("start");
    const words = await view.locator(".figures").innerText();
    assert.match(words.replace(/\s+/g, " "), new RegExp(`${stored.length} runs`));
    const good = stored.filter((r) => r.outcome === "success").length;
    assert.match(words.replace(/\s+/g, " "), new RegExp(`${good} succeeded`));
    const cell = view.locator("table.matrix tbody tr", { hasText: "hires" }).locator("td").nth(0);
    const best = Math.max(...curve("hires", "radau5").filter((r) => r.outcome === "success").map((r) => r.mescd));
    assert.equal((await cell.locator("a").evaluate((a) => a.firstChild.textContent)).trim(), best.toFixed(1));
  });

  const everyone = ["radau5", "rodas", "dassl", "bimd", "mebdfi", "dopri5"];
  // Problems whose reference shows six digits in all components.
  const { groups } = JSON.parse(fs.readFileSync(page, "utf8").match(/<script type="application\/json" id="data">(.*?)<\/script>/s)[1]);
  const reaching = (digits) => groups.filter((g) => g.limit === null || g.limit >= digits).map((g) => g.problem);
  const reached = reaching(6);
  const figure = () => view.locator("#start figure.profiles");
  const leftEnd = (solver) => figure().locator("svg.plot").evaluate((svg, s) => {
    const label = [...document.querySelectorAll("#start figure.profiles .legend button")].find((b) => b.textContent === s);
    const series = svg.querySelector(`.series[data-s="${label.dataset.s}"]`);
    const [, top, , bottom] = svg.dataset.box.split(" ").map(Number);
    if (series.style.display === "none") return null;
    const y = Number(series.querySelector("path").getAttribute("d").match(/^M[\d.]+ ([\d.]+)/)[1]);
    return (bottom - y) / (bottom - top);
  }, solver);

  check("the legend switches solvers off and profiles are computed among the rest", async () => {
    await go("start");
    changed = true;
    await figure().locator(".switch button", { hasText: "evaluations of f" }).click();
    assert.ok(!(await figure().locator(".tile-title").innerText()).includes("[s]"), "a ratio has no unit");
    for (const s of everyone) assert.ok(Math.abs((await leftEnd(s)) - bestShare(s, everyone, 6, reached)) < 0.01, `${s} before`);
    const first = everyone.find((s) => bestShare(s, everyone, 6, reached) > 0);
    await figure().locator(".legend button", { hasText: first }).click();
    const rest = everyone.filter((s) => s !== first);
    assert.equal(await leftEnd(first), null);
    for (const s of rest) assert.ok(Math.abs((await leftEnd(s)) - bestShare(s, rest, 6, reached)) < 0.01, `${s} after`);
    const shown = await view.locator("#start table.ranking").first().locator("tbody tr:visible th").allInnerTexts();
    assert.ok(!shown.some((t) => t.trim() === first));
    assert.equal(shown.length, rest.length);
    // Switched on again, everything is as the program wrote it.
    const words = () => view.locator("#start table.ranking, #story").evaluateAll((all) => all.map((t) => t.innerText).join("\n"));
    await figure().locator(".legend button", { hasText: first }).click();
    const computed = await words();
    await view.goto("about:blank");
    await go("start");
    assert.equal(computed, await words());
    await figure().locator("button", { hasText: "none" }).click();
    for (const s of everyone) assert.equal(await leftEnd(s), null);
    await figure().locator("button", { hasText: "all solvers" }).click();
    for (const s of everyone) assert.notEqual(await leftEnd(s), null);
    const names = await figure().locator(".ends text").allTextContents();
    assert.deepEqual([...names].sort(), [...everyone].sort(), "names at the ends of lines");
  });

  check("digits of the profile can be chosen, and the pointer has a line", async () => {
    await go("start");
    changed = true;
    const line = () => figure().locator(".series path.line").first().getAttribute("d");
    const six = await line();
    await figure().locator(".switch button", { hasText: "4 digits" }).click();
    assert.match(await figure().locator(".tile-title").innerText(), /^4 digits, CPU time · \d+ problems$/);
    assert.notEqual(await line(), six);
    const box = await figure().locator("svg.plot").boundingBox();
    await view.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    assert.equal(await figure().locator(".crosshair").count(), 1);
    assert.match(await view.locator("#tip").innerText(), /times the least work/);
    await view.mouse.move(2, 2);
    assert.equal(await figure().locator(".crosshair").count(), 0);
  });

  const story = async () => (await view.locator("#story li").allInnerTexts()).join(" ");
  const stiff = ["hires", "vdpol", "orego", "rober", "pump"];

  check("the sentences of the story are numbers of the store", async () => {
    await go("start");
    const told = await story();
    const [{ runs: all, failed, expected }] = sql(`SELECT count(*) AS runs, sum(outcome NOT IN ('success', 'unsupported', 'unavailable')) AS failed,
      sum(outcome NOT IN ('success', 'unsupported', 'unavailable', 'wrong_answer') AND solver = 'dopri5' AND problem IN (${stiff.map((p) => `'${p}'`)})) AS expected FROM runs`);
    assert.ok(failed > 0 && expected > 0);
    assert.ok(told.includes(`${failed} of ${all} runs failed; ${expected} of these are explicit methods on stiff problems`), told);
    // Fastest at four digits: how often each has the least CPU time, of the problems with at least one run that was not refused.
    const wins = sql(`WITH work AS (${workSql(4, "cpu_s")}), best AS (SELECT problem, min(least) AS least FROM work GROUP BY problem)
      SELECT solver, count(*) AS wins, (SELECT count(DISTINCT runs.problem) FROM runs WHERE runs.solver = work.solver AND outcome <> 'unsupported' AND runs.problem IN (${reaching(4).map((p) => `'${p}'`)})) AS taken
      FROM work JOIN best USING (problem, least) GROUP BY solver ORDER BY wins DESC, taken`);
    assert.ok(told.includes(`Fastest at 4 digits: ${wins[0].solver} on ${wins[0].wins} of the ${wins[0].taken} it takes`), `${told} ${JSON.stringify(wins)}`);
    const delivered = sql(`SELECT solver, count(*) AS n FROM (${workSql(6, "cpu_s")}) WHERE problem IN (${reached.map((p) => `'${p}'`)}) GROUP BY solver ORDER BY n DESC`);
    const [, name, count, of] = told.match(/6 digits are delivered most often by (\S+) on (\d+) of the (\d+) it takes/);
    assert.equal(Number(count), delivered[0].n);
    assert.equal(await view.locator("#start table.ranking").first().locator("tbody tr", { has: view.locator("th", { hasText: new RegExp(`^\\s*${name}\\s*$`) }) }).locator("td").nth(5).innerText(),
      `${count} of ${of}`, "the ranking says the same");
    assert.equal(delivered.find((d) => d.solver === name).n, delivered[0].n);
    // The first place: the highest score is the area below the profile from ratio 1 to 100, on a logarithmic axis, of the solver that is named first.
    const place = told.match(/At ([46]) digits on (\d+) stiff ODEs, (?:these|(\S+?),? .*?\(scores? ([\d.]+))/);
    assert.ok(place, told);
    const [, digits, number, leader, highest] = place;
    const work = sql(`SELECT problem, solver, least, min(least) OVER (PARTITION BY problem) AS best FROM (${workSql(Number(digits), "cpu_s")})
      WHERE problem IN (${stiff.filter((p) => p !== "pump" && reaching(Number(digits)).includes(p)).map((p) => `'${p}'`)})`);
    const problems = new Set(work.map((w) => w.problem)).size;
    assert.equal(Number(number), problems);
    const scores = everyone.map((name) => [name, work.filter((w) => w.solver === name).reduce((sum, w) => sum + Math.max(0, 1 - (w.least - w.best) / 2), 0) / problems]).sort((u, v) => v[1] - u[1]);
    if (leader) assert.deepEqual([leader, highest], [scores[0][0], scores[0][1].toFixed(2)], `${told} ${JSON.stringify(scores)}`);
  });

  check("filters act on story, matrix, profile and ranking alike, and the address keeps them", async () => {
    await go("start");
    const before = await story();
    await view.locator("#start .filters select[data-class=stiffness]").selectOption("stiff");
    const told = await story();
    assert.notEqual(told, before);
    const [{ n, failed }] = sql(`SELECT count(*) AS n, sum(outcome NOT IN ('success', 'unsupported', 'unavailable')) AS failed FROM runs WHERE problem IN (${stiff.map((p) => `'${p}'`)})`);
    assert.ok(told.includes(`${failed} of ${n} runs failed`), told);
    assert.deepEqual((await view.locator("#start table.matrix tbody tr:visible th").allInnerTexts()).sort(), [...stiff].sort());
    assert.match(await figure().locator(".tile-title").innerText(), new RegExp(`· ${stiff.filter((p) => reached.includes(p)).length} problems$`));
    await view.locator("#start .filters button[data-family=explicit]").click();
    assert.ok(!(await story()).includes("explicit methods"));
    assert.equal(await view.locator("#start table.matrix thead th:visible", { hasText: "dopri5" }).count(), 0);
    assert.equal(await view.locator("#start table.ranking").first().locator("tbody tr:visible", { hasText: "dopri5" }).count(), 0);
    assert.match(view.url(), /#start\?stiffness=stiff&no-families=explicit$/);
    const chosen = await story();
    await view.goto(view.url().replace("#", "?x#")); // as somebody opens it who got the address
    assert.equal(await story(), chosen);
    await view.locator("#start .everything").click();
    assert.equal(await story(), before);
  });

  check("the pages of families compare inside a family, and the best of each", async () => {
    await go("family-bdf");
    changed = true;
    assert.deepEqual((await view.locator("#family-bdf table.ranking").first().locator("tbody th").allInnerTexts()).map((t) => t.trim()).sort(), ["dassl", "mebdfi"]);
    const best = (solver) => view.locator("#family-bdf figure.profiles svg.plot").evaluate((svg, s) => {
      const id = [...document.querySelectorAll("#family-bdf .legend button")].find((b) => b.textContent === s).dataset.s;
      const [, top, , bottom] = svg.dataset.box.split(" ").map(Number);
      return (bottom - Number(svg.querySelector(`.series[data-s="${id}"] path`).getAttribute("d").match(/^M[\d.]+ ([\d.]+)/)[1])) / (bottom - top);
    }, solver);
    await view.locator("#family-bdf .switch button", { hasText: "evaluations of f" }).click();
    for (const s of ["dassl", "mebdfi"]) assert.ok(Math.abs((await best(s)) - bestShare(s, ["dassl", "mebdfi"], 6, reached)) < 0.01, s);
    await go("family-best");
    assert.equal(await view.locator("#family-best table.ranking").first().locator("tbody tr").count(), 5, "one of each family that was run");
  });

  check("a solver has its colour everywhere", async () => {
    const look = (where) => view.locator(`${where} .legend button .key`, { hasText: /^rodas$/ }).first().getAttribute("class");
    await go("start");
    const there = await look("#start");
    assert.equal(await look("#problem-hires"), there);
    const other = path.join(folder, "wp.html");
    ivp("wp", "vdpol", "--solvers", "rodas,dassl,bimd", "--rtol", "1e-4", "--repeat", "1", "--out", other);
    const second = await newPage();
    await second.goto(`file://${other}`);
    assert.deepEqual(await second.locator(".legend button").allInnerTexts(), ["rodas", "dassl", "bimd"], "in the order of the command");
    assert.equal(await second.locator(".legend button .key").first().getAttribute("class"), there);
    await second.close();
  });

  check("hovering shows the run and the command that repeats it", async () => {
    await go("problem-hires-diagram");
    const plot = view.locator("#problem-hires svg[data-plot=wp]");
    await plot.scrollIntoViewIfNeeded();
    const box = await plot.locator(".series").first().locator("use").nth(1).boundingBox();
    await view.mouse.move(box.x + box.width / 2, box.y + box.height / 2);
    const text = await view.locator("#tip").innerText();
    const command = (await view.locator("#tip code").innerText()).trim();
    const run = stored.find((r) => r.command === command);
    assert.ok(run, command);
    assert.ok(text.includes(run.mescd.toFixed(2)), text);
    assert.ok(text.includes(String(run.steps)), text);
    assert.ok(text.includes(`${run.nfev + run.nfev_jac}, ${run.njac}, ${run.nlu}`), text);
  });

  check("the legend hides a curve, other axes move the points", async () => {
    await go("problem-hires-diagram");
    changed = true;
    const figure = view.locator("#problem-hires figure.diagram");
    await figure.locator(".legend button", { hasText: "rodas" }).click();
    const id = await figure.locator(".legend button", { hasText: "rodas" }).getAttribute("data-s");
    assert.equal(await figure.locator(`.series[data-s="${id}"]`).isVisible(), false);
    await figure.getByLabel("Work").selectOption("f");
    // A point stands where the scale of the axis says it must.
    const place = await figure.locator("svg.plot").evaluate((svg) => {
      const mark = svg.querySelector('.series:not([style*="none"]) use:not(.fail)');
      const labels = [...svg.querySelectorAll(".ticks .yt")].map((t) => [t.textContent, Number(t.getAttribute("y")) - 4]);
      return { run: Number(mark.dataset.r), y: Number(mark.getAttribute("y")), labels };
    });
    const digits = "⁰¹²³⁴⁵⁶⁷⁸⁹";
    const value = (t) => {
      const m = t.match(/^(?:(\d)·)?10([⁰¹²³⁴⁵⁶⁷⁸⁹]+)$/);
      return m ? Number(m[1] ?? 1) * 10 ** Number([...m[2]].map((c) => digits.indexOf(c)).join("")) : Number(t);
    };
    const [a, b] = [place.labels[0], place.labels[place.labels.length - 1]];
    const slope = (b[1] - a[1]) / (Math.log10(value(b[0])) - Math.log10(value(a[0])));
    const expected = await view.evaluate((r) => JSON.parse(document.getElementById("data").textContent).runs.f[r], place.run);
    assert.ok(Math.abs(a[1] + slope * (Math.log10(expected) - Math.log10(value(a[0]))) - place.y) < 1);
    const ends = await figure.locator(".ends text").allTextContents();
    assert.deepEqual(ends.sort(), ["bimd", "dassl", "mebdfi", "radau5"], "names at the ends of lines");
    // The choice holds on other pages, in the address and after a reload.
    assert.match(view.url(), /\?no-solvers=rodas$/);
    await view.locator(".contents a", { hasText: /^vdpol$/ }).click();
    await view.waitForSelector("#problem-vdpol.current");
    assert.equal(await view.locator("#problem-vdpol .legend button", { hasText: "rodas" }).getAttribute("aria-pressed"), "false");
    assert.match(view.url(), /#problem-vdpol\?no-solvers=rodas$/);
    await view.reload();
    assert.equal(await view.locator("#problem-vdpol .legend button", { hasText: "rodas" }).getAttribute("aria-pressed"), "false");
    await view.locator("#problem-vdpol .legend button", { hasText: "rodas" }).click();
    assert.doesNotMatch(view.url(), /\?/);
  });

  check("every number at an axis is whole, and stands where its value is", async () => {
    await go("start");
    changed = true;
    await view.locator("#whole").click();
    const wrong = await view.evaluate(() => {
      const digits = "⁰¹²³⁴⁵⁶⁷⁸⁹";
      const value = (t) => {
        const m = t.replaceAll("−", "-").match(/^(-?)(?:([\d.]+)·)?10(⁻?)([⁰¹²³⁴⁵⁶⁷⁸⁹]+)$/);
        if (!m) return Number(t.replaceAll("−", "-"));
        return (m[1] ? -1 : 1) * Number(m[2] ?? 1) * 10 ** ((m[3] ? -1 : 1) * Number([...m[4]].map((c) => digits.indexOf(c)).join("")));
      };
      const faults = [];
      let labels = 0;
      for (const svg of document.querySelectorAll("svg.plot")) {
        const [left, top, right, bottom] = svg.dataset.box.split(" ").map(Number);
        const frame = svg.viewBox.baseVal, where = `${svg.closest(".page").id}: ${svg.getAttribute("aria-label")}`;
        const axes = ["x", "y"].map((a) => { const [kind, from, to] = svg.dataset[a].split(" "); return { log: kind === "log", from: Number(from), to: Number(to) }; });
        for (const t of svg.querySelectorAll(".ticks text")) {
          labels += 1;
          const b = t.getBBox(), y = t.classList.contains("yt");
          if (b.x < frame.x - 0.5 || b.x + b.width > frame.width + 0.5) faults.push(`${where}: ${t.textContent} is cut off`);
          const axis = axes[y ? 1 : 0], v = value(t.textContent), scale = (u) => (axis.log ? Math.log10(u) : u);
          const share = (scale(v) - scale(axis.from)) / (scale(axis.to) - scale(axis.from));
          const at = y ? bottom - share * (bottom - top) : left + share * (right - left);
          const is = y ? Number(t.getAttribute("y")) - 4 : Number(t.getAttribute("x"));
          if (!(Math.abs(at - is) < 1)) faults.push(`${where}: ${t.textContent} stands at ${is}, its value at ${at}`);
        }
      }
      return { faults, labels };
    });
    assert.ok(wrong.labels > 500, String(wrong.labels));
    assert.deepEqual(wrong.faults, []);
    assert.ok((await view.evaluate(() => document.documentElement.scrollWidth)) <= 1280, "the whole book is not wider than the window");
    await view.setViewportSize({ width: 1440, height: 900 });
    assert.ok((await view.evaluate(() => document.documentElement.scrollWidth)) <= 1440);
    await view.setViewportSize({ width: 1280, height: 900 });
    await view.locator("#whole").click();
  });

  check("the skip link stays on the page, which begins at its top", async () => {
    await go("problem-vdpol");
    await view.locator(".skip").focus();
    await view.keyboard.press("Enter");
    assert.equal(await view.locator(".page.current").getAttribute("id"), "problem-vdpol");
    assert.equal(await view.evaluate(() => document.activeElement.id), "content");
    const gap = await view.evaluate(() => document.querySelector("#problem-vdpol .kicker").getBoundingClientRect().top - document.querySelector("main").getBoundingClientRect().top);
    assert.ok(gap < 40, `${gap} px`);
  });

  check("back leads to where the reader was, and the title says which page it is", async () => {
    await go("problem-hires");
    assert.match(await view.title(), /^High irradiance responses.* · ivp$|HIRES/i);
    await view.evaluate(() => window.scrollTo(0, 700));
    await view.waitForTimeout(300);
    await view.evaluate(() => { location.hash = "solver-radau5"; });
    await view.waitForSelector("#solver-radau5.current");
    assert.match(await view.title(), /radau5/i);
    assert.equal(await view.evaluate(() => window.scrollY), 0);
    await view.goBack();
    await view.waitForSelector("#problem-hires.current");
    assert.ok(Math.abs((await view.evaluate(() => window.scrollY)) - 700) < 5);
  });

  check("a deep link shows its page before the rest is read", async () => {
    const html = fs.readFileSync(page, "utf8");
    const cut = path.join(folder, "cut.html");
    fs.writeFileSync(cut, html.slice(0, html.indexOf("<script type=\"application/json\"")));
    const early = await newPage();
    await early.goto(`file://${cut}#problem-vdpol-runs`);
    assert.ok(await early.locator("#problem-vdpol").isVisible());
    assert.ok(!(await early.locator("#start").isVisible()));
    await early.close();
  });

  check("the matrix sorts numbers before dots, with one arrow", async () => {
    await go("start");
    changed = true;
    const column = view.locator("#start table.matrix thead th", { hasText: "rodas" });
    await column.locator(".sort").click();
    const k = await column.evaluate((th) => th.cellIndex);
    const cells = await view.locator("#start table.matrix tbody tr").evaluateAll((rows, i) => rows.map((r) => [r.cells[i].className, Number(r.cells[i].dataset.v)]), k);
    const known = cells.findIndex(([kind]) => kind === "refused" || kind === "empty");
    assert.ok(known > 0 && cells.slice(known).every(([kind]) => kind === "refused" || kind === "empty"), JSON.stringify(cells));
    const values = cells.slice(0, known).map(([, v]) => v);
    assert.deepEqual(values, [...values].sort((a, b) => b - a));
    const arrows = await column.evaluate((th) => [...th.querySelectorAll(".sort")].map((b) => getComputedStyle(b, "::before").content + getComputedStyle(b, "::after").content + b.textContent).join(""));
    assert.equal(arrows.replace(/none|normal|["\s]/g, ""), "↓");
  });

  check("tolerances are numbers, and rings of the focus are not cut off", async () => {
    await go("problem-pump-runs");
    const rows = await view.locator("#problem-pump table.runs").first().locator("tbody tr").evaluateAll((all) => all.map((r) => r.cells[1].textContent));
    assert.deepEqual(rows, ["10−3", "10−5"]);
    assert.ok(!(await view.locator("#problem-pump table.runs").first().innerText()).includes("vector"));
    await view.locator("#problem-pump svg[data-plot=wp]").focus();
    await view.keyboard.press("ArrowRight");
    assert.ok(Number.parseFloat(await view.locator("#problem-pump svg[data-plot=wp]").evaluate((e) => getComputedStyle(e).outlineOffset)) <= 0);
    await view.keyboard.press("Tab");
    await view.locator(".contents a").first().focus();
    await view.keyboard.press("Tab");
    assert.ok(Number.parseFloat(await view.evaluate(() => getComputedStyle(document.activeElement).outlineOffset)) <= 0);
  });

  check("a row of a table shows the command that repeats its run, and the best are bold", async () => {
    await go("problem-hires-runs");
    changed = true;
    const table = view.locator("#problem-hires table.runs").first();
    const row = table.locator("tbody tr[data-r]").first();
    await row.locator("td").first().click();
    const command = await table.locator("tr.command code").innerText();
    assert.ok(stored.some((r) => r.command === command && r.problem === "hires"));
    const bold = await table.locator("td.h0").count();
    assert.ok(bold >= 3);
    const fastest = await table.locator("tbody tr[data-r]").evaluateAll((rows) => rows.filter((r) => r.cells[11].classList.contains("h0")).map((r) => [r.cells[1].dataset.v, Number(r.cells[11].dataset.v)]));
    for (const [rtol, cpu] of fastest) {
      const all = stored.filter((r) => r.problem === "hires" && r.outcome === "success" && r.rtol === Number(rtol)).map((r) => r.cpu_s);
      assert.ok(Math.abs(cpu / Math.min(...all) - 1) < 1e-4);
    }
    assert.match(await row.locator("td").nth(10).innerText(), /^[\d.]+\s(µs|ms|s)\??$/);
  });

  check("the table of all runs, which the script makes, is the one of the program with more rows", async () => {
    await go("problem-hires-runs");
    changed = true;
    const details = view.locator("#problem-hires details.all-runs");
    assert.equal(await details.locator("tbody tr").count(), 0, "made when it is opened");
    await details.locator("summary").click();
    const own = stored.filter((r) => r.problem === "hires");
    await view.waitForFunction((n) => document.querySelectorAll("#problem-hires details.all-runs tbody tr").length === n, own.length);
    // A row that both tables have is the same: text, number to sort by, shades (the best at a tolerance are the same runs).
    const rowsOf = (table) => table.locator("tbody tr").evaluateAll((rows) => rows.map((row) => [row.dataset.r,
      [...row.cells].map((c) => [c.tagName, c.textContent, c.classList.contains("minor"), [...c.classList].find((k) => /^h\d$/.test(k)) ?? "",
        c.dataset.v === undefined ? "" : Number(c.dataset.v)])]));
    const all = new Map(await rowsOf(details.locator("table")));
    const some = await rowsOf(view.locator("#problem-hires table.runs").first());
    assert.ok(some.length > 0 && some.length < own.length);
    for (const [r, cells] of some) assert.deepEqual(all.get(r), cells);
    await details.locator("thead button", { hasText: "steps" }).click();
    const steps = await details.locator("tbody tr").evaluateAll((rows) => rows.map((r) => Number(r.cells[6].textContent.replace(/\s/g, ""))));
    assert.deepEqual(steps, own.map((r) => r.steps).sort((a, b) => a - b));
    await details.locator("tbody tr td").first().click();
    const command = await details.locator("tr.command code").innerText();
    assert.ok(own.some((r) => r.command === command), command);
  });

  check("pside has a curve for four processors, estimated from its effective counts", async () => {
    const other = path.join(folder, "pside.html"), numbers = path.join(folder, "pside.json");
    ivp("wp", "vdpol", "--solvers", "pside,rodas", "--threads", "1", "--rtol", "1e-4,1e-6", "--repeat", "1", "--out", other, "--out", numbers);
    const own = JSON.parse(fs.readFileSync(numbers, "utf8")).filter((r) => r.solver === "pside" && r.outcome === "success").sort((a, b) => b.rtol - a.rtol);
    assert.ok(own.length === 2);
    const second = await newPage();
    await second.goto(`file://${other}`);
    const drawn = () => second.locator("svg.plot").first().evaluate((svg) => {
      const [, from, to] = svg.dataset.y.split(" ").map(Number);
      const [, top, , bottom] = svg.dataset.box.split(" ").map(Number);
      const d = svg.querySelector(".estimate path").getAttribute("d");
      return [...d.matchAll(/[ML]([\d.]+) ([\d.]+)/g)].map(([, , y]) => 10 ** (Math.log10(from) + (bottom - Number(y)) / (bottom - top) * Math.log10(to / from)));
    });
    const estimated = (kind) => { // those of the line, with rising digits
      const points = own.map((r) => ({ d: r.mescd, w: r[kind] * Math.max(r.extra.effective_f / r.nfev, r.extra.effective_lu / r.nlu) }));
      return points.filter((p) => !points.some((q) => q !== p && q.d >= p.d && q.w <= p.w)).sort((p, q) => p.d - q.d).map((p) => p.w);
    };
    const agree = (found, expected) => { assert.equal(found.length, expected.length); found.forEach((v, k) => assert.ok(Math.abs(v / expected[k] - 1) < 0.02, `${v}, ${expected[k]}`)); };
    agree(await drawn(), estimated("cpu_s"));
    await second.getByLabel("Work").selectOption("wall");
    agree(await drawn(), estimated("wall_s"));
    assert.ok((await second.locator(".ends text").allTextContents()).includes("pside, 4 CPUs, estimated"));
    await second.getByLabel("Work").selectOption("f");
    assert.deepEqual(await drawn(), [], "evaluations do not become fewer");
    await second.close();
  });

  check("what is not confirmed of a reference is pale, and an IDE is pictured as a DAE", async () => {
    const significant = (text) => text.replace(/[eE].*/, "").replace(/[^0-9]/g, "").replace(/^0+/, "").length;
    let pale = 0;
    for (const id of ["hires", "fekete", "tba", "wheel"]) {
      await go(`problem-${id}-reference`);
      const shown = await view.locator(`#problem-${id} table.reference tbody tr`).evaluateAll((rows) => rows.map((r) => {
        const [, value, digits] = r.cells, unsure = value.querySelector(".unsure");
        const decimals = r.closest("table").querySelector("thead").textContent.includes("decimals");
        return { text: value.textContent, known: unsure ? unsure.previousSibling?.textContent ?? "" : value.textContent, unsure: Boolean(unsure), decimals, digits: Number(digits.textContent) };
      }));
      assert.ok(shown.length > 0, id);
      for (const s of shown.filter((s) => Number(s.text) !== 0)) {
        const confirmed = Math.max(0, Math.floor(s.digits) + (s.decimals ? Math.floor(Math.log10(Math.abs(Number(s.text)))) + 1 : 0));
        assert.equal(significant(s.known), Math.min(confirmed, significant(s.text)), `${id} ${JSON.stringify(s)}`);
        pale += s.unsure;
      }
    }
    assert.ok(pale > 0);
    assert.match(await view.locator("#problem-wheel .courses figcaption").textContent(), /as a DAE/);
    assert.match(await view.locator("#problem-nand .courses figcaption").textContent(), /as a DAE/);
  });

  check("a chapter shown by itself has parameters, reference and behaviour", async () => {
    const alone = path.join(folder, "beam.html");
    fs.writeFileSync(alone, ivp("show", "beam", "--format", "html"));
    const one = await newPage();
    await one.goto(`file://${alone}`);
    assert.ok((await one.locator("table.reference tbody tr").count()) > 10);
    assert.ok((await one.locator(".courses svg.plot").count()) > 0);
    assert.equal(await one.locator("h3", { hasText: "Parameters" }).count(), 1);
    await one.close();
  });

  check("a wrong ladder of tolerances is refused with what is allowed", async () => {
    let said = "";
    try {
      execFileSync(tool, ["wp", "hires", "--solvers", "rodas", "--rtol", "1e-3:1e-10:0.5"], { encoding: "utf8", stdio: "pipe" });
    } catch (error) {
      said = error.stderr;
    }
    assert.match(said, /PER_DECADE a whole number from 1 to 100/);
  });

  check("every problem that has one shows a drawing, whole and with words", async () => {
    await go("start");
    const drawn = ["transamp", "ringmod", "nand", "tba", "pump", "andrews", "crank", "caraxis", "wheel", "beam", "water", "plei", "fekete",
      "hires", "pollu", "rober", "e5", "orego", "chemakzo_ode", "chemakzo_dae", "medakzo"];
    await view.locator("#whole").click();
    changed = true;
    const faults = await view.evaluate((ids) => {
      const found = [];
      for (const id of ids) {
        const svg = document.querySelector(`#problem-${id} .schematic svg.drawing`);
        if (!svg) { found.push(`${id}: no drawing`); continue; }
        const frame = svg.viewBox.baseVal;
        if (id !== "fekete" && svg.querySelectorAll("text").length < 2) found.push(`${id}: no words`);
        for (const t of svg.querySelectorAll("text")) {
          const b = t.getBBox();
          if (b.x < -1 || b.y < -1 || b.x + b.width > frame.width + 1 || b.y + b.height > frame.height + 1) found.push(`${id}: "${t.textContent}" is cut off`);
        }
        if (svg.getAttribute("aria-label") === "") found.push(`${id}: no description`);
      }
      return found;
    }, drawn);
    assert.deepEqual(faults, []);
    for (const id of ["andrews", "crank", "caraxis", "beam"]) assert.equal(await view.locator(`#problem-${id} .motion svg.drawing`).count(), 8, id);
    for (const id of ["plei", "fekete", "orego", "vdpol", "wheel"])
      assert.match(await view.locator(`#problem-${id} .courses .tile-title`).first().innerText(), /path|plane|cycle|above/, id);
    await view.locator("#whole").click();
  });

  check("components have names and units, and a letter is a letter", async () => {
    await go("problem-pump-behaviour");
    const titles = await view.locator("#problem-pump .courses .tile-title").allInnerTexts();
    assert.ok(titles.some((t) => /^y6, U1 \[V\]$/.test(t)), titles.join("; "));
    assert.ok(titles.some((t) => /^y9, I \[A\]$/.test(t)));
    assert.equal(await view.locator("#problem-pump .courses svg.plot .title").first().textContent(), "t [s]");
    assert.match((await view.locator("#problem-andrews .courses .tile-title").allTextContents()).join("; "), /y1, β \[rad\]; y2, Θ \[rad\]/);
  });

  check("precision along the path can be chosen: the largest error and the root mean square", async () => {
    const other = path.join(folder, "rms.html"), numbers = path.join(folder, "rms.json");
    ivp("wp", "vdpol", "--solvers", "rodas,radau5", "--rtol", "1e-4,1e-6", "--repeat", "1", "--precision", "rms", "--out", other, "--out", numbers);
    const measured = JSON.parse(fs.readFileSync(numbers, "utf8"));
    const second = await newPage();
    await second.goto(`file://${other}`);
    const choice = second.getByLabel("Precision");
    assert.deepEqual(await choice.locator("option").evaluateAll((all) => all.map((o) => o.value)), ["mescd", "scd", "path", "rms"]);
    assert.equal(await choice.inputValue(), "rms");
    const places = () => second.locator("svg.plot").first().evaluate((svg) => {
      const [kind, from, to] = svg.dataset.x.split(" ");
      const [left, , right] = svg.dataset.box.split(" ").map(Number);
      return [...svg.querySelectorAll(".series use:not(.fail)")].map((m) => [Number(m.dataset.r), Number(from) + (Number(m.getAttribute("x")) - left) / (right - left) * (Number(to) - Number(from))]);
    });
    const name = { rms: "mescd_rms", path: "mescd_path" };
    for (const kind of ["rms", "path", "rms"]) {
      await choice.selectOption(kind);
      const found = await places();
      assert.equal(found.length, measured.length);
      for (const [r, digits] of found) assert.ok(measured.some((m) => Math.abs(m.extra[name[kind]] - digits) < 0.02), `${kind} of run ${r}: ${digits}`);
    }
    await second.close();
  });

  check("zoom by dragging, and back", async () => {
    await go("problem-vdpol-diagram");
    changed = true;
    const plot = view.locator("#problem-vdpol svg[data-plot=wp]");
    await plot.scrollIntoViewIfNeeded();
    const ticks = () => plot.locator(".ticks").innerHTML();
    const before = await ticks();
    const box = await plot.boundingBox();
    await view.mouse.move(box.x + box.width * 0.4, box.y + box.height * 0.3);
    await view.mouse.down();
    await view.mouse.move(box.x + box.width * 0.7, box.y + box.height * 0.6, { steps: 4 });
    await view.mouse.up();
    assert.notEqual(await ticks(), before);
    await plot.focus();
    await view.keyboard.press("0");
    assert.equal(await ticks(), before, "script and program agree about the axes");
    await view.keyboard.press("+");
    assert.notEqual(await ticks(), before);
  });

  check("a line joins the runs that no other of their curve beats, and every run has its mark", async () => {
    await go("problem-vdpol-diagram");
    changed = true;
    const figure = view.locator("#problem-vdpol figure.diagram");
    for (const kind of ["cpu", "f"]) {
      await figure.getByLabel("Work").selectOption(kind);
      const work = (r) => (kind === "cpu" ? r.cpu_s : r.nfev + r.nfev_jac);
      let off = 0;
      for (const solver of ["radau5", "rodas", "dassl", "bimd", "mebdfi"]) {
        const id = await figure.locator(".legend button", { hasText: new RegExp(`^${solver}$`) }).getAttribute("data-s");
        const drawn = await figure.locator(`.series[data-s="${id}"]`).evaluate((g) => ({
          line: [...g.querySelector(".line").getAttribute("d").matchAll(/[ML]([-\d.]+) ([-\d.]+)/g)].map((m) => `${m[1]} ${m[2]}`),
          on: [...g.querySelectorAll("use:not(.fail):not(.off)")].map((m) => `${m.getAttribute("x")} ${m.getAttribute("y")}`),
          off: g.querySelectorAll("use.off").length, all: g.querySelectorAll("use").length }));
        const runs = curve("vdpol", solver), good = runs.filter((r) => r.outcome === "success");
        const front = good.filter((r) => !good.some((q) => q !== r && q.mescd >= r.mescd && work(q) <= work(r)));
        assert.equal(drawn.line.length, front.length, `${solver}, ${kind}: points of the line`);
        assert.deepEqual([...drawn.on].sort(), [...drawn.line].sort(), `${solver}, ${kind}: marks on the line`);
        assert.equal(drawn.off, good.length - front.length, `${solver}, ${kind}: pale marks`);
        assert.equal(drawn.all, runs.length, `${solver}, ${kind}: a mark for every run`);
        const xs = drawn.line.map((t) => Number(t.split(" ")[0])), ys = drawn.line.map((t) => Number(t.split(" ")[1]));
        assert.deepEqual(xs, [...xs].sort((u, v) => u - v), "digits rise");
        assert.deepEqual(ys, [...ys].sort((u, v) => v - u), "and so does work");
        off += drawn.off;
      }
      if (kind === "cpu") assert.match(await figure.locator("figcaption").innerText(), /no other of its runs beats in both digits and work/);
      else assert.ok(off >= 0);
    }
  });

  check("a wide screen is used, and lines of text stay readable", async () => {
    const wide = await newPage({ viewport: { width: 3840, height: 2160 } });
    const box = (selector) => wide.locator(selector).first().boundingBox();
    const show = async (hash) => {
      await wide.goto("about:blank");
      await wide.goto(`file://${page}#${hash}`);
      await wide.waitForSelector(".page.current");
      assert.ok((await wide.evaluate(() => document.documentElement.scrollWidth)) <= 3840, hash);
    };
    const beside = async (left, right) => {
      const [a, b] = [await box(left), await box(right)];
      assert.ok(a.x + a.width <= b.x && a.y < b.y + b.height && b.y < a.y + a.height, `${left} stands beside ${right}`);
    };
    await show("start");
    assert.ok((await box("main")).width > 0.85 * 3840);
    await beside("#story", "#start figure.profiles");
    await beside("#start table.matrix", "#start table.ranking");
    await show("problem-hires");
    await beside("#problem-hires figure.diagram svg.plot", "#problem-hires table.runs");
    for (const id of ["problem-hires", "problem-andrews", "solver-radau5"]) {
      await show(id);
      const lines = await wide.locator(`#${id} p`).evaluateAll((all) => all.filter((p) => !p.querySelector("math, code") && p.textContent.length > 200).map((p) => {
        const range = document.createRange();
        range.selectNodeContents(p);
        return p.textContent.length / new Set([...range.getClientRects()].map((r) => Math.round(r.bottom))).size;
      }));
      assert.ok(lines.length > 0 && lines.every((n) => n < 96), `${id}: characters in a line: ${lines.map(Math.round)}`);
      const columns = new Set(await wide.locator(`#${id} .chapter > section > *`).evaluateAll((all) => all.map((p) => Math.round(p.getBoundingClientRect().left))));
      assert.equal(columns.size, 3, `${id}: columns`);
    }
    await wide.close();
  });

  check("on a phone the letters of a diagram are large enough, and none is cut off", async () => {
    const phone = await newPage({ viewport: { width: 390, height: 844 } });
    await phone.goto(`file://${page}#problem-andrews-diagram`);
    await phone.waitForSelector("#problem-andrews.current");
    const faults = await phone.locator("#problem-andrews svg[data-plot=wp]").evaluate((svg) => {
      const frame = svg.viewBox.baseVal, scale = svg.getBoundingClientRect().width / frame.width;
      return [...svg.querySelectorAll("text")].filter((t) => t.textContent !== "").flatMap((t) => {
        const size = Number.parseFloat(getComputedStyle(t).fontSize) * scale, b = t.getBBox(), turned = t.hasAttribute("transform");
        const found = size < 10 ? [`${t.textContent}: ${size} px`] : [];
        if (!turned && (b.x < -0.5 || b.x + b.width > frame.width + 0.5)) found.push(`${t.textContent} is cut off`);
        return found;
      });
    });
    assert.deepEqual(faults, []);
    const names = await phone.locator("#problem-andrews .ends text").evaluateAll((all) => all.map((t) => [Number(t.getAttribute("y")), t.getBBox().height]).sort((a, b) => a[0] - b[0]));
    names.slice(1).forEach(([y], k) => assert.ok(y - names[k][0] > 0.7 * names[k][1], "names at the ends do not lie on each other"));
    await phone.close();
  });

  check("the keyboard goes from run to run", async () => {
    await go("problem-vdpol-diagram");
    await view.locator("#problem-vdpol svg[data-plot=wp]").focus();
    await view.keyboard.press("ArrowRight");
    const first = await view.locator("#tip code").innerText();
    await view.keyboard.press("ArrowRight");
    const second = await view.locator("#tip code").innerText();
    assert.notEqual(first, second);
    await view.keyboard.press("ArrowDown");
    assert.notEqual(await view.locator("#tip code").innerText(), second);
  });

  check("buttons of a diagram: zoom, everything again, all and none", async () => {
    await go("problem-vdpol-diagram");
    changed = true;
    const figure = view.locator("#problem-vdpol figure.diagram");
    const ticks = () => figure.locator("svg.plot .ticks").innerHTML();
    const before = await ticks();
    for (const name of ["Zoom in", "Zoom out"]) {
      await figure.getByLabel(name).click();
      assert.notEqual(await ticks(), before, name);
      await figure.getByLabel("Show everything").click();
      assert.equal(await ticks(), before, name);
    }
    await figure.getByLabel("Hide all solvers").click();
    assert.equal(await figure.locator(".series:visible").count(), 0);
    assert.equal(await figure.locator(".ends text").count(), 0);
    await figure.getByLabel("Show all solvers").click();
    assert.ok((await figure.locator(".ends text").count()) > 3);
    assert.doesNotMatch(view.url(), /\?/);
  });

  check("all curves of a profile can have their colour, and a name in the legend lights its curve", async () => {
    await go("start");
    changed = true;
    await figure().locator("button", { hasText: "colour all" }).click();
    assert.equal(await figure().locator(".series.grey:visible").count(), 0);
    const button = figure().locator(".legend button", { hasText: "dassl" });
    await button.hover();
    assert.deepEqual(await figure().locator(".series.lit").evaluateAll((all) => all.map((s) => s.dataset.s)), [await button.getAttribute("data-s")]);
    await view.mouse.move(2, 2);
    assert.equal(await figure().locator(".series.lit").count(), 0);
  });

  check("light and dark, the menu of a phone, and a solver's diagram", async () => {
    await go("start");
    changed = true;
    const paper = () => view.evaluate(() => getComputedStyle(document.body).backgroundColor);
    const first = await paper();
    await view.locator("#theme").click();
    assert.notEqual(await paper(), first);
    await view.locator("#theme").click();
    assert.equal(await paper(), first);
    await view.evaluate(() => { try { localStorage.removeItem("ivp-theme"); } catch { /* a file may have no storage */ } });
    await view.setViewportSize({ width: 390, height: 800 });
    assert.equal(await view.locator(".contents").isVisible(), false);
    await view.locator("button.menu").click();
    assert.equal(await view.locator("button.menu").getAttribute("aria-expanded"), "true");
    await view.locator(".contents a", { hasText: /^radau5$/ }).click();
    await view.waitForSelector("#solver-radau5.current");
    assert.equal(await view.locator(".contents").isVisible(), false);
    await view.setViewportSize({ width: 1280, height: 900 });
    const plot = view.locator("#solver-radau5 svg[data-plot=calibration]");
    await plot.focus();
    await view.keyboard.press("ArrowRight");
    assert.match(await view.locator("#tip").innerText(), /^radau5 on /);
  });

  check("on paper tables keep all columns, and what is folded is left out", async () => {
    await go("problem-hires-runs");
    changed = true;
    await view.setViewportSize({ width: 680, height: 960 }); // a page of A4
    assert.equal(await view.locator("#problem-hires table.runs th.minor").first().isVisible(), false);
    await view.emulateMedia({ media: "print" });
    assert.equal(await view.locator("#problem-hires table.runs th.minor").first().isVisible(), true);
    assert.equal(await view.locator("#problem-hires details.all-runs").isVisible(), false);
    assert.equal(await view.locator(".top").isVisible(), false);
    await view.emulateMedia({ media: null });
    await view.setViewportSize({ width: 1280, height: 900 });
  });

  check("tables sort", async () => {
    await go("problem-hires-runs");
    changed = true;
    const table = view.locator("#problem-hires table.runs").first();
    const column = async (name) => {
      const k = (await table.locator("thead th").allInnerTexts()).findIndex((t) => t.trim().replace(/ [↑↓]$/, "") === name);
      return (await table.locator("tbody tr").evaluateAll((rows, i) => rows.map((r) => r.cells[i].dataset.v ?? r.cells[i].textContent), k)).map((t) => Number(t.replace(/\s/g, "")));
    };
    await table.locator("thead button", { hasText: "steps" }).click();
    const rising = await column("steps");
    assert.deepEqual(rising, [...rising].sort((a, b) => a - b));
    await table.locator("thead button", { hasText: "steps" }).click();
    assert.deepEqual(await column("steps"), rising.reverse());
    const shown = stored.filter((r) => r.problem === "hires").map((r) => r.steps);
    for (const steps of await column("steps")) assert.ok(shown.includes(steps));
  });

  check("search finds problems and solvers", async () => {
    await go("start");
    changed = true;
    await view.keyboard.press("/");
    await view.keyboard.type("squeez");
    assert.ok((await view.locator(".contents a:visible:not(.in-text)").allInnerTexts()).includes("andrews"));
    await view.keyboard.press("Enter");
    await view.waitForSelector("#problem-andrews.current");
    await view.locator("#search").fill("radau5");
    await view.keyboard.press("Enter");
    await view.waitForSelector("#solver-radau5.current");
    await view.locator("#search").fill("zeitgeist");
    assert.match(await view.locator(".contents .nothing").innerText(), /Nothing found for “zeitgeist”/);
    await view.locator("#search").fill("pleiades seven stars"); // words of the chapter
    assert.ok((await view.locator(".contents a:visible").allInnerTexts()).includes("plei"));
    await view.locator("#search").fill("");
    assert.ok(!(await view.locator(".contents .nothing").isVisible()));
  });

  check("the chapter of a solver shows its runs", async () => {
    await go("solver-radau5-calibration");
    const marks = await view.locator("#solver-radau5 svg[data-plot=calibration] use").count();
    assert.equal(marks, stored.filter((r) => r.solver === "radau5" && r.outcome === "success" && r.mescd !== null).length);
  });

  check("every formula is rendered, and has a size", async () => {
    await go("problem-andrews");
    assert.equal(await view.locator(".unknown").count(), 0);
    const heights = await view.locator("#problem-andrews .display math").evaluateAll((all) => all.map((m) => m.getBoundingClientRect().height));
    assert.ok(heights.length > 5 && heights.every((h) => h > 15));
  });

  check("nothing is wider than a phone", async () => {
    await view.setViewportSize({ width: 360, height: 740 });
    await go("start");
    const wide = await view.evaluate(async () => { // every page of the book
      const found = [];
      for (const page of document.querySelectorAll(".page")) {
        location.hash = page.id;
        await new Promise((done) => { addEventListener("hashchange", () => setTimeout(done), { once: true }); setTimeout(done, 200); });
        if (document.documentElement.scrollWidth > 360) found.push(`${page.id}: ${document.documentElement.scrollWidth}`);
      }
      return found;
    });
    assert.deepEqual(wide, []);
    await go("problem-hires-runs");
    const inside = await view.locator("#problem-hires table.runs").first().locator("tbody tr").first().evaluate((r) => [4, 11].map((k) => r.cells[k].getBoundingClientRect().right));
    for (const right of inside) assert.ok(right > 0 && right <= 360, `digits and time are on the screen: ${inside}`);
    await view.setViewportSize({ width: 1280, height: 900 });
  });

  check("without script everything is there", async () => {
    const plain = await newPage({ javaScriptEnabled: false });
    await plain.goto(`file://${page}`);
    assert.ok(await plain.locator("#problem-vdpol svg[data-plot=wp]").isVisible());
    assert.ok(await plain.locator("#solver-bimd").isVisible());
    await plain.close();
  });

  check("no request leaves the file, and the script has no errors", async () => {
    assert.deepEqual(outside, []);
    assert.deepEqual(errors, []);
  });

  check("the same store gives the same bytes", async () => {
    const again = path.join(folder, "again.html");
    ivp("report", "--db", db, "--out", again);
    assert.ok(fs.readFileSync(page).equals(fs.readFileSync(again)));
  });

  check("it is valid HTML", async () => {
    let validator;
    try {
      validator = load("html-validate");
    } catch {
      console.log("   unavailable: html-validate");
      return;
    }
    const config = { extends: ["html-validate:standard"], rules: { "no-inline-style": "off", "long-title": "off" } };
    const report = await new validator.HtmlValidate(config).validateFile(page);
    const found = report.results.flatMap((r) => r.messages).map((m) => `${m.line}:${m.column} ${m.ruleId}: ${m.message}`);
    assert.deepEqual(found.slice(0, 5), []);
  });

  let failed = 0;
  for (const [name, work] of checks) {
    try {
      await work();
      console.log(`ok      ${name}`);
    } catch (error) {
      failed += 1;
      console.log(`FAILED  ${name}\n${error.stack}`);
    }
  }
  await browser.close();
  fs.rmSync(folder, { recursive: true });
  console.log(`${checks.length - failed} of ${checks.length} passed`);
  process.exit(failed === 0 ? 0 : 1);
})();
