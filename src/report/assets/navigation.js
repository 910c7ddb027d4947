// One page at a time, search, light and dark. What a page needs is made ready when it is first shown.
const root = document.documentElement;
const pages = [...document.querySelectorAll(".page")];
const ready = new Set();

function prepare(page) {
  if (ready.has(page)) return;
  ready.add(page);
  for (const svg of page.querySelectorAll("svg[data-plot=wp]")) new Diagram(svg);
  for (const svg of page.querySelectorAll("svg[data-plot=calibration]")) listenForNotes(svg);
  for (const details of page.querySelectorAll("details.all-runs")) fillWhenOpened(details);
  for (const table of page.querySelectorAll("table.sortable")) makeSortable(table);
  for (const table of page.querySelectorAll("table.runs")) listenForCommands(table);
  for (const scroller of page.querySelectorAll(".scroll, .canvas")) markWhatIsHidden(scroller);
  const filters = page.querySelector(".filters-here");
  if (filters) addFilters(filters);
  const story = page.querySelector("#story");
  if (story) new Story(story);
  for (const figure of page.querySelectorAll("figure.profiles")) new Comparison(figure);
}

function open() {
  const here = hereInAddress();
  const before = choiceText();
  readChoice(here.query);
  const target = document.getElementById(here.id);
  const page = target?.closest(".page") ?? pages[0];
  for (const p of pages) p.classList.toggle("current", p === page);
  document.getElementById("early")?.remove();
  prepare(page);
  tellFollowers(before !== choiceText());
  if (choiceText() !== here.query) history.replaceState(history.state, "", addressOf(here.id || page.id));
  hideTip();
  document.title = page === pages[0] ? bookTitle : `${page.querySelector("h1").textContent} · ivp`;
  for (const a of document.querySelectorAll(".contents a")) {
    const isHere = a.hash === `#${page.id}`;
    if (isHere) a.setAttribute("aria-current", "page"); else a.removeAttribute("aria-current");
    if (isHere) a.closest("details")?.setAttribute("open", "");
    if (isHere) a.scrollIntoView({ block: "nearest" });
  }
  document.querySelector(".contents").classList.remove("open");
  menu.setAttribute("aria-expanded", "false");
  clearTimeout(later);
  if (history.state?.y !== undefined) window.scrollTo(0, history.state.y);
  else if (target && target !== page) target.scrollIntoView();
  else window.scrollTo(0, 0);
}

// Back and forward lead to where the reader was on the page.
const bookTitle = document.title;
history.scrollRestoration = "manual";
let later = 0;
const keepPlace = () => history.replaceState({ y: window.scrollY }, "");
window.addEventListener("scroll", () => { clearTimeout(later); later = setTimeout(keepPlace, 150); }, { passive: true });
document.addEventListener("click", (event) => { if (event.target.closest("a[href^='#']")) { clearTimeout(later); keepPlace(); } }, true);

// The skip link leads into the page that is open, and is no address.
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  const content = document.getElementById("content");
  content.focus({ preventScroll: true });
  content.scrollIntoView();
});

const menu = document.querySelector("button.menu");
menu.addEventListener("click", () => {
  const shown = document.querySelector(".contents").classList.toggle("open");
  menu.setAttribute("aria-expanded", String(shown));
});

// ---- Search ----

const search = document.getElementById("search");
const entries = [...document.querySelectorAll(".contents a")];

const nothing = element("p", { class: "nothing", role: "status", hidden: "" });
document.querySelector(".contents").prepend(nothing);
const texts = new Map();
/** The text of a page in small letters; read when it is first searched. */
function textOf(id) {
  if (!texts.has(id)) texts.set(id, document.getElementById(id)?.textContent.toLowerCase() ?? "");
  return texts.get(id);
}

function filter() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  const name = (a) => a.textContent.toLowerCase();
  const named = (a) => words.every((w) => a.dataset.find.toLowerCase().includes(w));
  const fits = (a) => named(a) || (words.join("").length >= 3 && words.every((w) => textOf(a.hash.slice(1)).includes(w)));
  for (const a of entries) {
    a.parentNode.hidden = !fits(a);
    a.classList.toggle("in-text", words.length > 0 && !a.parentNode.hidden && !named(a));
  }
  for (const list of document.querySelectorAll(".contents ul")) {
    const empty = [...list.children].every((li) => li.hidden);
    list.hidden = empty;
    const fold = list.closest("details");
    if (fold) { fold.hidden = empty; fold.open = (words.length > 0 && !empty) || list.querySelector("[aria-current]") !== null; }
    else if (list.previousElementSibling?.classList.contains("group")) list.previousElementSibling.hidden = empty;
  }
  document.querySelector(".contents").classList.toggle("open", words.length > 0);
  // The best answer: a name that is the word, then one that begins with it, then any name or title, then a text.
  const found = entries.filter((a) => !a.parentNode.hidden);
  nothing.hidden = found.length > 0;
  nothing.textContent = found.length > 0 ? "" : `Nothing found for “${search.value.trim()}”.`;
  const word = words.join(" ");
  return found.find((a) => name(a) === word) ?? found.find((a) => name(a).startsWith(word)) ?? found.find(named) ?? found[0];
}

search.addEventListener("input", filter);
search.addEventListener("keydown", (event) => {
  if (event.key === "Enter") {
    const best = filter();
    if (!best) return;
    search.value = "";
    filter();
    location.hash = best.hash;
    document.getElementById("content").focus({ preventScroll: true });
  } else if (event.key === "Escape") {
    search.value = "";
    filter();
    search.blur();
  } else if (event.key === "ArrowDown") {
    entries.find((a) => !a.parentNode.hidden)?.focus();
    event.preventDefault();
  }
});
document.addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.target.matches("input, select, textarea")) return;
  search.focus();
  event.preventDefault();
});

// ---- Light, dark, everything at once ----

const theme = document.getElementById("theme");
const remember = (value) => { try { localStorage.setItem("ivp-theme", value); } catch { /* a file may have no storage */ } };
const remembered = () => { try { return localStorage.getItem("ivp-theme"); } catch { return null; } };
if (remembered()) root.dataset.theme = remembered();
theme.addEventListener("click", () => {
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  remember(root.dataset.theme);
});

const whole = document.getElementById("whole");
whole.addEventListener("click", () => {
  const all = root.classList.toggle("whole");
  whole.setAttribute("aria-pressed", String(all));
  if (all) pages.forEach(prepare); else open();
});

window.addEventListener("hashchange", open);
window.addEventListener("scroll", hideTip, { passive: true });
open();
