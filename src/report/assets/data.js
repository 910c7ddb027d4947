// The numbers of all runs, and what they are called.
const data = JSON.parse(document.getElementById("data").textContent);
const runs = data.runs;
const curveById = new Map(data.curves.map((c) => [c.id, c]));

const outcomeOf = (r) => data.outcomes[runs.outcome[r]];
const succeeded = (r) => outcomeOf(r) === "success";
const workNames = { cpu: "CPU time [s]", wall: "wall time [s]", f: "evaluations of f", lu: "LU factorisations" };
const precisionNames = {
  mescd: "correct digits at the end point (mescd)",
  scd: "correct digits at the end point (scd)",
  path: "correct digits, worst along the path (mescd)",
  rms: "correct digits, root mean square along the path",
};

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

/** Three digits with a unit: 12.3 ms. */
function duration(s) {
  if (s === null || s === undefined) return "–";
  if (s === 0) return "0 s";
  const rounded = Number(s.toPrecision(3));
  const [factor, unit] = rounded < 1e-3 ? [1e6, "µs"] : rounded < 1 ? [1e3, "ms"] : [1, "s"];
  return `${Number((rounded * factor).toPrecision(3))}\u202f${unit}`;
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
