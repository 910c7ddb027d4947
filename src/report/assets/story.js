// What was found, in sentences: those of the program (src/report/book/story.cpp) for everything, and the same among what is chosen.
const storyDigits = [6, 4];
const leastProblems = 3; // fewer say nothing about a class

const nameList = (names, most = 4) => {
  const shown = names.length > most ? [...names.slice(0, most - 1), `${names.length - most + 1} more`] : names;
  return shown.length < 2 ? shown.join("") : `${shown.slice(0, -1).join(", ")} and ${shown[shown.length - 1]}`;
};
const counted = (n, word) => `${wholeNumber(n)} ${word}${n === 1 ? "" : "s"}`;
const isFailure = (r) => !["success", "unsupported", "unavailable"].includes(outcomeOf(r));

/** Who leads in a class of problems: nobody is put before another whom the draws do not put behind. */
function firstPlace(title, groups, ids) {
  for (const digits of storyDigits) {
    const rows = ratioTable(ids, "cpu", digits, groups);
    if (rows.length < leastProblems) continue;
    const ranks = ranking(rows, ids.length);
    const leaders = ids.map((id, k) => ({ name: curveById.get(id).label, ...ranks[k] })).filter((r) => r.solved > 0 && r.rankLow === 1)
      .sort((a, b) => b.score - a.score);
    if (leaders.length === 0) return null;
    const on = `At ${digits} digits on ${counted(rows.length, title)}`;
    const best = leaders[0];
    if (leaders.length === 1) return `${on}, ${best.name} has the first place (score ${best.score.toFixed(2)}, with other problems ${best.scoreLow.toFixed(2)} to ${best.scoreHigh.toFixed(2)}).`;
    if (leaders.length > 6) return `${on}, these runs put no solver first: ${leaders.length} solvers could be.`;
    return `${on}, ${nameList(leaders.map((r) => r.name), 6)} share the first place (scores ${best.score.toFixed(2)} to ${leaders[leaders.length - 1].score.toFixed(2)}); with other problems any of them could lead.`;
  }
  return null;
}

/** How often each was the fastest, of the problems it takes. */
function fastestSentence(groups, ids) {
  const digits = 4;
  const taken = ids.map(() => []);
  for (const group of groups) {
    if (group.limit !== null && group.limit < digits) continue;
    const work = ids.map((id) => workOfGroup(group, id, "cpu", digits));
    const known = work.filter((w) => w !== null);
    const least = known.length === 0 ? undefined : Math.min(...known);
    ids.forEach((id, k) => { if (takes(group, id)) taken[k].push(work[k] === least ? 1 : 0); });
  }
  const rows = ids.map((id, k) => ({ name: curveById.get(id).label, of: taken[k].length, wins: taken[k].reduce((a, b) => a + b, 0), ...winsInterval(taken[k]) }))
    .filter((r) => r.wins > 0).sort((a, b) => b.wins - a.wins || a.of - b.of);
  if (rows.length === 0) return null;
  const shown = rows.filter((r) => r.high >= rows[0].low).slice(0, 3);
  const words = shown.map((r) => `${r.name} on ${r.wins} of the ${r.of} it takes (with other problems ${r.low} to ${r.high})`);
  return `Fastest at ${digits} digits: ${nameList(words)}.`;
}

function winsInterval(wins) {
  if (wins.length === 0) return { low: 0, high: 0 };
  const random = makeRandom();
  const sums = Array.from({ length: rankingDraws }, () => wins.reduce((sum) => sum + wins[random(wins.length)], 0));
  const [low, high] = middleNineTenths(sums);
  return { low, high };
}

/** Who delivers most often what a user asks for. */
function deliveredSentence(groups, ids) {
  const digits = 6;
  const rows = ids.map((id) => {
    const taken = groups.filter((g) => takes(g, id) && !(g.limit !== null && g.limit < digits));
    return { name: curveById.get(id).label, of: taken.length, delivered: taken.filter((g) => workOfGroup(g, id, "cpu", digits) !== null).length };
  }).filter((r) => r.delivered > 0).sort((a, b) => b.delivered - a.delivered || a.of - b.of);
  if (rows.length === 0) return null;
  const words = rows.slice(0, 3).map((r) => `${r.name} on ${r.delivered} of the ${r.of} it takes`);
  return `${digits} digits are delivered most often by ${nameList(words)}.`;
}

function failureSentence(groups, ids) {
  let all = 0, failed = 0, expected = 0, lied = 0;
  const liars = new Set();
  for (const group of groups)
    for (const curve of group.curves) {
      const info = curveById.get(curve.id);
      if (!ids.includes(curve.id)) continue;
      for (const r of curve.runs) {
        all += 1;
        if (!isFailure(r)) continue;
        failed += 1;
        if (outcomeOf(r) === "wrong_answer") { lied += 1; liars.add(`${info.label} on ${group.problem}`); }
        else if (!info.implicit && group.stiffness === "stiff") expected += 1;
      }
    }
  if (all === 0) return null;
  if (failed === 0) return `None of ${counted(all, "run")} failed.`;
  const claim = lied === 0 ? "" : ` ${counted(lied, "run")} claimed success without a correct digit (${nameList([...liars])}).`;
  if (expected === 0) return `${wholeNumber(failed)} of ${counted(all, "run")} failed.${claim}`;
  return `${wholeNumber(failed)} of ${counted(all, "run")} failed; ${wholeNumber(expected)} of these are explicit methods on stiff problems, as the theory says, and ${wholeNumber(failed - expected)} are others.${claim}`;
}

const storyClasses = [
  ["stiff ODE", (g) => g.form === "ode" && g.stiffness === "stiff"],
  ["non-stiff ODE", (g) => g.form === "ode" && g.stiffness === "non-stiff"],
  ["DAE", (g) => g.form !== "ode"],
];

function storyOf(groups, ids) {
  const sentences = storyClasses.map(([title, of]) => firstPlace(title, groups.filter(of), ids));
  return [...sentences, fastestSentence(groups, ids), deliveredSentence(groups, ids), failureSentence(groups, ids)].filter((s) => s !== null);
}

class Story {
  constructor(list) {
    this.list = list;
    follow(list, () => this.tell());
    if (choiceText() !== "") this.tell();
  }

  tell() {
    const sentences = storyOf(groupsOn(), curvesOn());
    if (sentences.length === 0) sentences.push("The store has no runs of this choice.");
    this.list.replaceChildren(...sentences.map((s) => element("li", {}, s)));
  }
}
