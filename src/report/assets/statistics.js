// Profiles and ranking, as the program computes them (docs: Machine and method), for the solvers that are switched on.
const largestRatio = 100;
const rankingDraws = 1000;

/** Least work with which a curve delivers so many digits, or null. */
function workForDigits(curve, kind, digits) {
  let least = null;
  const offer = (w) => { least = least === null ? w : Math.min(least, w); };
  const points = curve.runs.map((r) => {
    const w = workOf(r, kind), d = digitsOf(r, "mescd");
    return succeeded(r) && w !== null && d !== null ? { d, w } : null;
  });
  points.forEach((a, k) => {
    if (!a) return;
    if (a.d >= digits) offer(a.w);
    const b = points[k + 1];
    if (!b || a.d < digits === b.d < digits) return;
    const share = (digits - a.d) / (b.d - a.d);
    offer(10 ** (Math.log10(a.w) + share * (Math.log10(b.w) - Math.log10(a.w))));
  });
  return least;
}

/** Whether the solver takes the problem: at least one of its runs there was not refused. */
function takes(group, id) {
  const curve = group.curves.find((c) => c.id === id);
  return curve !== undefined && curve.runs.some((r) => !["unsupported", "unavailable"].includes(outcomeOf(r)));
}

const workOfGroup = (group, id, kind, digits) => {
  const curve = group.curves.find((c) => c.id === id);
  return curve ? workForDigits(curve, kind, digits) : null;
};

/** One row for each problem whose reference reaches so far and that one of the solvers solved: ratio to the least work of all, or null. */
function ratioTable(ids, kind, digits, groups) {
  const rows = [];
  for (const group of groups) {
    if (group.limit !== null && group.limit < digits) continue;
    const work = ids.map((id) => workOfGroup(group, id, kind, digits));
    const known = work.filter((w) => w !== null);
    if (known.length === 0) continue;
    const least = Math.min(...known);
    rows.push(work.map((w) => (w === null ? null : w / least)));
  }
  return rows;
}

/** Share of the problems on which the k-th solver needs at most tau times the least work. */
function profileShare(rows, k, tau) {
  return rows.length === 0 ? 0 : rows.filter((row) => row[k] !== null && row[k] <= tau).length / rows.length;
}

function makeRandom() {
  let state = 1;
  return (n) => {
    state = (state + 0x6d2b79f5) | 0;
    let z = Math.imul(state ^ (state >>> 15), state | 1);
    z ^= z + Math.imul(z ^ (z >>> 7), z | 61);
    return ((z ^ (z >>> 14)) >>> 0) % n;
  };
}

function middleNineTenths(values) {
  const sorted = Float64Array.from(values).sort();
  const cut = Math.floor(sorted.length / 20);
  return [sorted[cut], sorted[sorted.length - 1 - cut]];
}

/** For each solver: rank, score, how many problems, and the intervals of nine tenths of the draws. */
function ranking(rows, count) {
  if (rows.length === 0) return null;
  const score = rows.map((row) => row.map((ratio) => (ratio === null ? 0 : Math.max(0, 1 - Math.log(ratio) / Math.log(largestRatio)))));
  const over = (drawn) => {
    const sums = new Float64Array(count);
    for (const p of drawn) for (let s = 0; s < count; ++s) sums[s] += score[p][s];
    return sums.map((v) => v / drawn.length);
  };
  const ranks = (scores) => Array.from(scores, (own) => 1 + scores.reduce((n, other) => n + (other > own ? 1 : 0), 0));
  const drawnScores = Array.from({ length: count }, () => []), drawnRanks = Array.from({ length: count }, () => []);
  const random = makeRandom();
  const draw = new Array(rows.length);
  for (let k = 0; k < rankingDraws; ++k) {
    for (let p = 0; p < draw.length; ++p) draw[p] = random(rows.length);
    const scores = over(draw), r = ranks(scores);
    for (let s = 0; s < count; ++s) { drawnScores[s].push(scores[s]); drawnRanks[s].push(r[s]); }
  }
  const scores = over(rows.map((_, p) => p)), r = ranks(scores);
  return Array.from({ length: count }, (_, s) => {
    const [scoreLow, scoreHigh] = middleNineTenths(drawnScores[s]), [rankLow, rankHigh] = middleNineTenths(drawnRanks[s]);
    return { rank: r[s], rankLow, rankHigh, score: scores[s], scoreLow, scoreHigh, solved: rows.filter((row) => row[s] !== null).length };
  });
}
