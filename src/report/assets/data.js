// The numbers of all runs, and what they are called.
const data = JSON.parse(document.getElementById("data").textContent);
const runs = data.runs;
const curveById = new Map(data.curves.map((c) => [c.id, c]));

const outcomeOf = (r) => data.outcomes[runs.outcome[r]];
const succeeded = (r) => outcomeOf(r) === "success";
const workNames = { cpu: "CPU time [s]", wall: "wall time [s]", f: "evaluations of f", lu: "LU factorisations" };
const precisionNames = { mescd: "mescd at the end point", scd: "scd at the end point", path: "mescd along the path" };

/** Work of a run, or null where it was not measured or is zero. */
function workOf(r, kind) {
  const v = runs[kind][r];
  return v > 0 ? v : null;
}

/** Digits of a run, or null. */
function digitsOf(r, kind) {
  return runs[kind] ? runs[kind][r] : null;
}

/** Name of the curve that a run belongs to. */
const curveOfRun = new Map();
for (const group of data.groups)
  for (const curve of group.curves) for (const r of curve.runs) curveOfRun.set(r, curve.id);

/** 0.0123, 4.2e-5: three digits. */
function short(v) {
  if (v === null || v === undefined) return "–";
  const a = Math.abs(v);
  if (a === 0) return "0";
  if (a >= 1e5 || a < 1e-4) return v.toExponential(2).replace(/\.?0+e/, "e");
  return String(Number(v.toPrecision(3)));
}

const two = (v) => (v === null || v === undefined ? "–" : v.toFixed(2).replace("-", "−"));

function element(name, attributes = {}, ...children) {
  const e = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
  e.append(...children);
  return e;
}

function svgElement(name, attributes = {}) {
  const e = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) e.setAttribute(key, value);
  return e;
}
