"use strict";
// Shows what the page holds: it hides and marks, moves the focus, and puts texts together. It calculates nothing.
{
const all = (selector, inside = document) => [...inside.querySelectorAll(selector)];
const by = (id) => document.getElementById(id);
const data = JSON.parse(by("data").textContent);
const sections = all("section.step");
const selects = ["batch", "head", "query"].map(by).filter(Boolean);
const single = by("single");

// --- which cells there are ---------------------------------------------------------------------

// "scores:0+64 v:2+8*4" → [["scores", 0], …]: the name of a step and the place of a cell in it.
const places = (text) => text.split(" ").filter(Boolean).flatMap((run) => {
  const [, name, start, count, by] = /^(?:(.*):)?(\d+)\+(\d+)(?:\*(\d+))?$/.exec(run);
  return Array.from({length: +count}, (_, n) => [name, +start + n * (+by || 1)]);
});

const found = new Map();  // "scores:12" → its cells on the page
const named = new Map();  // a cell on the page → "scores:12"
for (const holder of all("[data-cells]")) {
  const cells = holder.matches("td") ? [holder] : all("tbody td", holder);
  places(holder.dataset.cells).forEach(([name, place], n) => {
    const key = name + ":" + place;
    found.has(key) ? found.get(key).push(cells[n]) : found.set(key, [cells[n]]);
    named.set(cells[n], key);
  });
}

const told = new Map();  // "scores:12" → where it is in the data
for (const [name, step] of Object.entries(data.told)) {
  places(step.at).forEach(([, place], n) => told.set(name + ":" + place, [step, n]));
  step.relations = step.relations.split(" ");
}

// --- one cell ----------------------------------------------------------------------------------

const grids = all("table[data-cells]");
const rows = (grid) => all("tbody tr", grid).map((row) => all("td", row));
let own = null;  // the cell in focus

for (const grid of grids) {
  grid.setAttribute("role", "grid");
  grid.closest(".box").removeAttribute("tabindex");
  all("tbody td", grid).forEach((cell, n) => cell.tabIndex = n ? -1 : 0);
}
all("td.result[data-cells]").forEach((cell) => cell.tabIndex = 0);

const language = () => document.querySelector("input[name=language]:checked")?.value ?? document.documentElement.lang;
const word = (code) => data.words[code][language()] ?? Object.values(data.words[code])[0];
const text = (node) => {
  const copy = node.cloneNode(true);
  all("[lang]", copy).forEach((part) => part.lang === language() || part.remove());
  return copy.textContent.trim();
};
const element = (name, content) => Object.assign(document.createElement(name), {textContent: content});
const title = (name) => {
  const section = sections.find((part) => part.dataset.step === name);
  return section ? text(section.querySelector(".title")) : name;
};

// "e^{1.8}" → e with a raised 1.8
const raised = (tree) => tree.split(/\^\{([^{}]*)\}/).map((part, n) => n % 2 ? element("sup", part) : part);

function name(origin) {
  const cell = found.get(named.get(origin)).find((one) => !one.matches(".result")) ?? origin;
  const row = cell.parentNode;
  const column = cell.closest("table").querySelector("thead")?.rows[0].cells[cell.cellIndex];
  const labels = [row.cells[0], column].filter(Boolean).map(text);
  return [title(named.get(cell).split(":")[0]), ...labels].filter(Boolean).join(" · ");
}

let marked = [];  // the cells that are lit

function tell(cell) {
  marked.forEach((one) => one.classList.remove("lit", "own"));
  marked = cell ? [cell] : [];
  const line = by("telling"), from = by("sources");
  from.replaceChildren();
  if (!cell) return line.replaceChildren(word("page-hint"));
  cell.classList.add("own");
  const key = named.get(cell), [step, n] = told.get(key) ?? [];
  line.replaceChildren(element("b", name(cell)), " ");
  const shown = cell.matches(".result") ? cell.lastChild.textContent.trim() : cell.textContent;
  if (!step) {
    const given = data.given.includes(key.split(":")[0]);
    line.append("= ", element("span", shown), " (" + word(given ? "page-given" : "page-not-told") + ")");
    return;
  }
  const put = element("span", "");
  put.className = "into";
  put.append(...raised(step.trees[n]));
  const result = element("span", step.hidden[n] ?? shown);
  result.className = "shown";
  line.append("= ", put, " " + step.relations[n] + " ", result);
  light(step.sources[n], from);
}

function light(sources, from) {
  const names = new Map();
  for (const [name, place] of places(sources)) {
    const cells = found.get(name + ":" + place) ?? [];
    cells.forEach((cell) => cell.classList.add("lit"));
    marked.push(...cells);
    const first = cells.find((cell) => !cell.closest(".other, .story:not(.chosen)"));
    if (first && !names.has(name)) names.set(name, first);
  }
  for (const [name, cell] of names) {
    const button = element("button", title(name));
    button.type = "button";
    button.onclick = () => { mark(cell.closest("section.step")); visit(cell); };
    from.append(from.firstChild ? " " : word("page-from") + " ", button);
  }
}

function visit(cell) {
  const grid = cell.closest("table[data-cells]");
  if (grid) all("td[tabindex='0']", grid).forEach((other) => other.tabIndex = -1);
  cell.tabIndex = 0;
  cell.focus();
}

document.addEventListener("focusin", ({target}) => {
  if (named.has(target)) { own = target; tell(own); mark(own.closest("section.step")); keepSoon(); }
  else if (own && !target.closest(".panel")) { own = null; tell(null); keepSoon(); }
});
document.addEventListener("pointerover", ({target, pointerType}) => {
  const cell = target.closest?.("td");
  if (pointerType === "mouse" && cell && named.has(cell)) tell(cell);
});
document.addEventListener("pointerout", ({target, pointerType}) => {
  if (pointerType === "mouse" && target.closest?.("td")) tell(own);
});

// --- steps -------------------------------------------------------------------------------------

let now = null;

function mark(section) {
  if (!section || section === now) return;
  now?.classList.remove("now");
  now = section;
  now.classList.add("now");
  all("nav a").forEach((link) => link.hash === "#step=" + now.dataset.step ? link.setAttribute("aria-current", "step") : link.removeAttribute("aria-current"));
  const place = sections.indexOf(now);
  by("before").disabled = place === 0;
  by("after").disabled = place === sections.length - 1;
}

function go(by) {
  const place = now ? sections.indexOf(now) + by : 0;
  show(sections[Math.min(Math.max(place, 0), sections.length - 1)]);
}

function show(section) {
  if (!section) return;
  mark(section);
  const heading = section.querySelector("h2");
  heading.focus({preventScroll: true});
  heading.scrollIntoView({block: "start"});
  keep();
}

by("before").onclick = () => go(-1);
by("after").onclick = () => go(1);
all("nav a").forEach((link) => link.onclick = (event) => {
  event.preventDefault();
  show(sections.find((section) => link.hash === "#step=" + section.dataset.step));
});
single.onchange = () => { choose(); if (!now) mark(sections[0]); keep(); };

// --- keys --------------------------------------------------------------------------------------

const MOVES = {ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0]};

function inTable(event, cell) {
  const grid = cell.closest("table[data-cells]");
  const lines = rows(grid.matches("table") ? grid : cell.closest("table"));
  const row = lines.findIndex((cells) => cells.includes(cell)), column = lines[row].indexOf(cell);
  const ends = {Home: [event.ctrlKey ? 0 : row, 0], End: [event.ctrlKey ? lines.length - 1 : row, -1]};
  const move = MOVES[event.key], end = ends[event.key];
  const target = move ? lines[row + move[0]]?.[column + move[1]] : end ? lines[end[0]].at(end[1]) : null;
  if (target) visit(target);
  return Boolean(move || end);
}

document.addEventListener("keydown", (event) => {
  const target = event.target;
  if (event.altKey || event.metaKey || target.matches("input, select, textarea")) return;
  const grid = named.has(target) && target.closest("table[data-cells]");
  if (event.key === "Escape" && named.has(target)) show(target.closest("section.step"));
  else if (grid && inTable(event, target)) ;
  else if (event.ctrlKey) return;
  else if (event.key === "j" || event.key === "ArrowRight") go(1);
  else if (event.key === "k" || event.key === "ArrowLeft") go(-1);
  else return;
  event.preventDefault();
});

// --- choices, kept in the address --------------------------------------------------------------

const value = (name) => by(name)?.value;

function choose() {
  const [batch, head, query] = ["batch", "head", "query"].map(value);
  for (const box of all(".box[data-heads], .box[data-batch]")) {
    const other = (batch && batch !== "all" && box.dataset.batch && box.dataset.batch !== batch)
      || (head && head !== "all" && box.dataset.heads && !box.dataset.heads.split(" ").includes(head));
    box.classList.toggle("other", Boolean(other));
  }
  for (const story of all(".story")) {
    const {batch: b, head: h, query: q} = story.dataset;
    const fits = (chosen, own) => chosen === undefined || chosen === "all" || chosen === own;
    story.classList.toggle("chosen", fits(batch, b) && fits(head, h) && fits(query, q));
  }
  const asking = by("query")?.selectedOptions[0].textContent;
  for (const row of all(".step[data-rows=query] .tables tbody tr")) row.classList.toggle("asked", text(row.cells[0]) === asking);
  if (by("no-story")) by("no-story").hidden = Boolean(document.querySelector(".story.chosen"));
  document.documentElement.classList.toggle("single", single.checked);
  all("details.others").forEach((other) => other.open = true);
}

function keep() {
  const state = new URLSearchParams();
  if (now) state.set("step", now.dataset.step);
  selects.forEach((select) => select.value !== select.dataset.first && state.set(select.id, select.value));
  for (const name of ["language", "theme"]) {
    const chosen = document.querySelector(`input[name=${name}]:checked`);
    if (chosen && !chosen.defaultChecked) state.set(name, chosen.value);
  }
  if (single.checked) state.set("single", "1");
  if (own) state.set("cell", named.get(own));
  history.replaceState(null, "", "#" + state);
}

let soon = 0;

function keepSoon() {  // a browser that is told a new address with every key slows down
  clearTimeout(soon);
  soon = setTimeout(keep, 300);
}

function restore() {
  const state = new URLSearchParams(location.hash.slice(1));
  for (const select of selects) {
    const chosen = state.get(select.id) ?? select.dataset.first;
    if ([...select.options].some((option) => option.value === chosen)) select.value = chosen;
  }
  for (const name of ["language", "theme"]) {
    const input = all(`input[name=${name}]`).find((one) => one.value === state.get(name));
    if (input) input.checked = true;
  }
  single.checked = state.get("single") === "1";
  choose();
  speak();
  const section = sections.find((part) => part.dataset.step === state.get("step"));
  if (section) show(section); else if (single.checked) mark(sections[0]);
  const cell = (found.get(state.get("cell")) ?? []).find((one) => one.offsetParent);
  if (cell) visit(cell);
}

function speak() {
  const root = document.documentElement;
  root.lang = root.dataset.language = language();
  document.title = document.querySelector("h1")?.innerText || document.title;
  root.dataset.theme = document.querySelector("input[name=theme]:checked").value;
  tell(own);
}

const first = document.querySelector(".story[data-asked]")?.dataset ?? {};
for (const select of selects) {
  select.dataset.first = first[select.id] ?? [...select.options].find((option) => option.value !== "all").value;
  select.onchange = () => { choose(); tell(own); keep(); };
}
all("input[name=language], input[name=theme]").forEach((input) => input.onchange = () => { speak(); keep(); });
window.addEventListener("hashchange", restore);
restore();
}
