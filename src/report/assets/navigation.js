// One page at a time, search, light and dark. What a page needs is made ready when it is first shown.
const root = document.documentElement;
root.classList.add("js");
const pages = [...document.querySelectorAll(".page")];
const ready = new Set();

function prepare(page) {
  if (ready.has(page)) return;
  ready.add(page);
  for (const svg of page.querySelectorAll("svg[data-plot=wp]")) new Diagram(svg);
  for (const svg of page.querySelectorAll("svg[data-plot=calibration]")) listenForNotes(svg);
  for (const table of page.querySelectorAll("table.sortable")) makeSortable(table);
  for (const scroller of page.querySelectorAll(".scroll")) markWhatIsHidden(scroller);
  const profiles = page.querySelector("#profiles");
  if (profiles) new Comparison(profiles);
}

function open() {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  const page = target?.closest(".page") ?? pages[0];
  for (const p of pages) p.classList.toggle("current", p === page);
  prepare(page);
  hideTip();
  for (const a of document.querySelectorAll(".contents a")) {
    const here = a.hash === `#${page.id}`;
    if (here) a.setAttribute("aria-current", "page"); else a.removeAttribute("aria-current");
    if (here) a.closest("details")?.setAttribute("open", "");
    if (here) a.scrollIntoView({ block: "nearest" });
  }
  document.querySelector(".contents").classList.remove("open");
  menu.setAttribute("aria-expanded", "false");
  if (target && target !== page) target.scrollIntoView(); else window.scrollTo(0, 0);
}

const menu = document.querySelector("button.menu");
menu.addEventListener("click", () => {
  const shown = document.querySelector(".contents").classList.toggle("open");
  menu.setAttribute("aria-expanded", String(shown));
});

// ---- Search ----

const search = document.getElementById("search");
const entries = [...document.querySelectorAll(".contents a")];

function filter() {
  const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  const name = (a) => a.textContent.toLowerCase();
  const fits = (a) => words.every((w) => a.dataset.find.toLowerCase().includes(w));
  for (const a of entries) a.parentNode.hidden = !fits(a);
  for (const list of document.querySelectorAll(".contents ul")) {
    const empty = [...list.children].every((li) => li.hidden);
    list.hidden = empty;
    if (list.previousElementSibling?.classList.contains("group")) list.previousElementSibling.hidden = empty;
    const fold = list.closest("details");
    if (fold) fold.open = (words.length > 0 && !empty) || list.querySelector("[aria-current]") !== null;
  }
  document.querySelector(".contents").classList.toggle("open", words.length > 0);
  // The best answer: a name that is the word, then one that begins with it, then any.
  const found = entries.filter((a) => !a.parentNode.hidden);
  const word = words.join(" ");
  return found.find((a) => name(a) === word) ?? found.find((a) => name(a).startsWith(word)) ?? found[0];
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
