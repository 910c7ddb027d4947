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
`);
ivp("campaign", plan, "--db", db);
ivp("report", "--db", db, "--out", page);
const stored = ivp("records", "--db", db, "--jsonl").trim().split("\n").map((line) => JSON.parse(line));
const ofRun = (problem, solver, rtol) => stored.find((r) => r.problem === problem && r.solver === solver && r.rtol === rtol);

// ---- The statistics once more, from the store alone ----
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
  const view = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  const outside = [], errors = [];
  view.on("request", (r) => { if (!r.url().startsWith("file:")) outside.push(r.url()); });
  view.on("pageerror", (e) => errors.push(e.message));
  view.on("console", (m) => { if (m.type() === "error") errors.push(m.text()); });
  const checks = [];
  const check = (name, work) => checks.push([name, work]);
  const go = async (hash) => {
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

  check("the legend switches solvers off and profiles are computed anew", async () => {
    await go("start");
    const plot = view.locator('svg[data-plot=profile][data-digits="6"][data-work=f]');
    const all = ["radau5", "rodas", "dassl", "bimd", "mebdfi"];
    const limits = { andrews: 0 }; // its reference shows fewer than six digits in all components
    const problems = ["hires", "vdpol", "plei", "andrews"].filter((p) => !(p in limits));
    const leftEnd = (solver) => plot.evaluate((svg, s) => {
      const label = [...document.querySelectorAll("#profiles ~ *, .legend button")].find((b) => b.textContent === s);
      const series = svg.querySelector(`.series[data-s="${label.dataset.s}"]`);
      const [, top, , bottom] = svg.dataset.box.split(" ").map(Number);
      if (series.style.display === "none") return null;
      const y = Number(series.querySelector("path").getAttribute("d").match(/^M[\d.]+ ([\d.]+)/)[1]);
      return (bottom - y) / (bottom - top);
    }, solver);
    for (const s of all) assert.ok(Math.abs((await leftEnd(s)) - bestShare(s, all, 6, problems)) < 0.01, `${s} before`);
    const first = all.find((s) => bestShare(s, all, 6, problems) > 0);
    await view.locator("section:has(#profiles) .legend button", { hasText: first }).click();
    const rest = all.filter((s) => s !== first);
    assert.equal(await leftEnd(first), null);
    for (const s of rest) assert.ok(Math.abs((await leftEnd(s)) - bestShare(s, rest, 6, problems)) < 0.01, `${s} after`);
    const shown = await view.locator("table.ranking").first().locator("tbody tr:visible th").allInnerTexts();
    assert.ok(!shown.some((t) => t.trim() === first));
    assert.equal(shown.length, rest.length);
    // Switched on again, everything is as the program wrote it.
    const ranks = () => view.locator("table.ranking").evaluateAll((tables) => tables.map((t) => [...t.tBodies[0].rows].map((r) => r.innerText).join("\n")).join("\n"));
    await view.locator("section:has(#profiles) .legend button", { hasText: first }).click();
    const computed = await ranks();
    await view.reload();
    assert.equal(computed, await ranks());
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
  });

  check("zoom by dragging, and back", async () => {
    await go("problem-vdpol-diagram");
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

  check("tables sort", async () => {
    await go("problem-hires-runs");
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
    await view.keyboard.press("/");
    await view.keyboard.type("squeez");
    assert.deepEqual(await view.locator(".contents a:visible").allInnerTexts(), ["andrews"]);
    await view.keyboard.press("Enter");
    await view.waitForSelector("#problem-andrews.current");
    await view.locator("#search").fill("radau5");
    await view.keyboard.press("Enter");
    await view.waitForSelector("#solver-radau5.current");
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
    for (const hash of ["start", "problem-andrews", "solver-radau5", "method"]) {
      await go(hash);
      assert.ok((await view.evaluate(() => document.documentElement.scrollWidth)) <= 360, hash);
    }
    await view.setViewportSize({ width: 1280, height: 900 });
  });

  check("without script everything is there", async () => {
    const plain = await browser.newPage({ javaScriptEnabled: false });
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
