// What the reader has chosen: classes of problems, families, solvers. It holds on every page, and the address keeps it.
const problemClasses = {
  form: { title: "form", values: ["ode", "dae", "ide"], of: (group) => group.form, text: (v) => v.toUpperCase() },
  stiffness: { title: "stiffness", values: ["stiff", "non-stiff"], of: (group) => group.stiffness, text: (v) => v },
  index: { title: "index", values: ["1", "2", "3"], of: (group) => String(group.index), text: (v) => `index ${v}` },
  size: { title: "size", values: ["small", "medium", "large"], of: (group) => group.size, text: (v) => v },
};
const choice = { form: "", stiffness: "", index: "", size: "", families: new Set(), solvers: new Set() }; // the sets hold what is switched off

// What follows the choice: at once on the page that is open, elsewhere when its page is opened.
const followers = [];
const follow = (place, tell) => followers.push({ page: place.closest(".page"), tell, late: false });
function tellFollowers(changed) {
  for (const f of followers) {
    f.late ||= changed;
    if (!f.late || !(f.page.classList.contains("current") || root.classList.contains("whole"))) continue;
    f.late = false;
    f.tell();
  }
}

const isOn = (curve) => !choice.families.has(curve.family) && !choice.solvers.has(curve.label);
/** Numbers of the curves that take part, in the order of the families. */
const curvesOn = () => data.curves.filter(isOn).map((c) => c.id);
const fitsChoice = (group) => Object.entries(problemClasses).every(([key, c]) => choice[key] === "" || c.of(group) === choice[key]);
/** The problems, as the test set poses them, of the classes that are chosen. */
const groupsOn = () => data.groups.filter((g) => g.variant === "" && fitsChoice(g));

function choiceText() {
  const words = Object.keys(problemClasses).filter((key) => choice[key] !== "").map((key) => `${key}=${encodeURIComponent(choice[key])}`);
  for (const key of ["families", "solvers"]) if (choice[key].size > 0) words.push(`no-${key}=${[...choice[key]].map(encodeURIComponent).join(",")}`);
  return words.join("&");
}

/** Takes what an address says; without a word about the choice it stays as it is. */
function readChoice(text) {
  if (text === "") return;
  for (const key of Object.keys(problemClasses)) choice[key] = "";
  choice.families.clear();
  choice.solvers.clear();
  for (const part of text.split("&")) {
    const [key, value = ""] = part.split("=");
    if (key in problemClasses) {
      const wanted = decodeURIComponent(value);
      if (problemClasses[key].values.includes(wanted)) choice[key] = wanted;
    } else if (key === "no-families" || key === "no-solvers") {
      for (const name of value.split(",")) choice[key.slice(3)].add(decodeURIComponent(name));
    }
  }
}

const addressOf = (id) => `#${id}${choiceText() === "" ? "" : `?${choiceText()}`}`;

function choose(change) {
  change();
  history.replaceState(history.state, "", addressOf(hereInAddress().id || pages[0].id));
  tellFollowers(true);
}

function hereInAddress() {
  const [id, query = ""] = location.hash.slice(1).split("?");
  return { id: decodeURIComponent(id), query };
}

/** Switches for the classes of problems and for the families. */
function addFilters(place) {
  const bar = element("div", { class: "controls filters", role: "group", "aria-label": "Problems and families that are compared" });
  const selects = new Map();
  const posed = data.groups.filter((g) => g.variant === "");
  for (const [key, c] of Object.entries(problemClasses)) {
    const present = c.values.filter((v) => posed.some((g) => c.of(g) === v));
    if (present.length < 2 && !posed.some((g) => !present.includes(c.of(g)))) continue;
    const select = element("select", { "aria-label": `Problems by ${c.title}`, "data-class": key }, element("option", { value: "" }, `any ${c.title}`));
    for (const v of present) select.append(element("option", { value: v }, c.text(v)));
    select.addEventListener("change", () => choose(() => { choice[key] = select.value; }));
    selects.set(key, select);
    bar.append(select);
  }
  const buttons = new Map();
  const own = place.parentNode.querySelector("figure.profiles").dataset.curves.split(" ").map((id) => curveById.get(Number(id)).family);
  for (const f of data.families.filter((family) => own.includes(family.id))) {
    const b = element("button", { type: "button", class: `family ${f.classes}`, "data-family": f.id }, f.title);
    b.addEventListener("click", () => choose(() => { if (!choice.families.delete(f.id)) choice.families.add(f.id); }));
    buttons.set(f.id, b);
  }
  if (buttons.size > 1) bar.append(element("span", { class: "gap" }, "families"), ...buttons.values());
  const all = element("button", { type: "button", class: "everything" }, "everything");
  all.addEventListener("click", () => choose(() => {
    for (const key of Object.keys(problemClasses)) choice[key] = "";
    choice.families.clear();
    choice.solvers.clear();
  }));
  const count = element("span", { class: "count", role: "status" });
  bar.append(all, count);
  place.replaceWith(bar);
  const show = () => {
    for (const [key, select] of selects) select.value = choice[key];
    for (const [id, b] of buttons) b.setAttribute("aria-pressed", String(!choice.families.has(id)));
    all.hidden = choiceText() === "";
    count.textContent = all.hidden ? "" : `${groupsOn().length} of ${posed.length} problems, ${curvesOn().length} of ${data.curves.length} solvers`;
  };
  follow(bar, show);
  show();
}
