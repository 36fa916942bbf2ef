// The page: the answer, the sections in their order, and what it all rests on.
const model = JSON.parse(document.getElementById("model").textContent);

const makers = {
  table: tableSection,
  curves: curvesSection,
  bars: barsSection,
  tornado: tornadoSection,
  activity: activitySection,
  scene: sceneSection,
  picture: (section) => element("img", {src: "data:image/svg+xml," + encodeURIComponent(section.svg), alt: section.title + ". " + section.caption}),
  words: (section) => element("div", {}, ...section.paragraphs.map((p) => element(section.verbatim ? "pre" : "p", {}, p))),
};

function sectionElement(title, id, ...content) {
  return element("section", {id, "aria-labelledby": id + "-title"}, element("h2", {id: id + "-title"}, title), ...content);
}

function madeSection(section, i) {
  const caption = section.caption ? element("figcaption", {}, section.caption) : null;
  const folded = section.kind === "words" && section.verbatim;
  const content = makers[section.kind](section);
  const body = folded ? element("details", {}, element("summary", {}, "Show"), content) : element("figure", {}, caption, content);
  return sectionElement(section.title, "section-" + i, body);
}

const figureUnits = {"s": "time", "B": "size", "B/s": "rate", "FLOP/s": "flops", "W": "power", "": "none"};

function figureText(value, unit) {
  if (value === null) return "";
  return unit in figureUnits ? format(value, figureUnits[unit]) : digits(value) + " " + unit;
}

// Every catalogue figure that went into the answer.
function assumptions() {
  const origins = {};
  for (const figure of model.figures) origins[figure.origin] = (origins[figure.origin] ?? 0) + 1;
  const summary = model.figures.length + " catalogue figures: " +
    Object.entries(origins).map(([origin, count]) => count + " " + origin).join(", ");
  const columns = ["part", "figure", "value", "80 % interval", "origin", "source"].map((label) => ({label, unit: "none"}));
  const rows = model.figures.map((f) => [f.part, f.figure, figureText(f.value, f.unit),
    f.low80 === f.high80 ? "" : figureText(f.low80, f.unit) + " to " + figureText(f.high80, f.unit), f.origin, f.source]);
  const list = (title, lines) => (lines.length === 0 ? null
    : element("div", {}, element("h3", {}, title), element("ul", {}, ...lines.map((line) => element("li", {}, line)))));
  if (rows.length + model.notes.length + model.evidence.length === 0) return null;
  return sectionElement("What this rests on", "assumptions", list("Assumptions", model.notes), list("Evidence", model.evidence),
    rows.length > 0 ? element("details", {class: "paper"}, element("summary", {}, summary), makeTable(columns, rows, "figures used"))
      : null);
}

// An arrow does not break behind its dash.
const arrowsWhole = (text) => text.split(/(->)/).map((part) => (part === "->" ? element("span", {class: "whole"}, part) : part));

function header() {
  const cards = model.headlines.map((h) => element("div", {}, element("dt", {}, h.label),
    element("dd", {class: h.value.length > 20 ? "value long" : "value"}, ...arrowsWhole(h.value)), h.note ? element("dd", {class: "soft"}, h.note) : null));
  const facts = model.facts.map(([label, value]) => label + " " + value).join(" \u00b7 ");
  const links = [...model.sections.map((s, i) => [s.title, "section-" + i]),
    ...(document.getElementById("assumptions") ? [["What this rests on", "assumptions"]] : [])];
  return element("header", {}, element("h1", {}, model.title), element("p", {class: "answer"}, model.answer),
    cards.length > 0 ? element("dl", {class: "headlines"}, ...cards) : null,
    element("p", {class: "facts"}, facts),
    element("nav", {"aria-label": "sections"}, ...links.map(([title, id]) => element("a", {href: "#" + id}, title))));
}

function redraw() {
  drawCharts();
  tables.forEach(fitTable);
  for (const update of scenes) update();
}

// On paper every picture is as wide as the sheet, and what is folded away but belongs to the answer is open.
const paperWidth = "690px";
let opened = [];
function toPaper() {
  for (const {place} of charts) place.style.width = paperWidth;
  opened = [...document.querySelectorAll("details.paper:not([open])")];
  for (const details of opened) details.open = true;
  redraw();
}
function toScreen() {
  for (const {place} of charts) place.style.width = "";
  for (const details of opened) details.open = false;
  redraw();
}

const place = document.getElementById("page");
place.append(element("main", {}, ...model.sections.map(madeSection), assumptions()));
place.prepend(header());  // it links to what stands already
redraw();
let pending = 0;
window.addEventListener("resize", () => {
  cancelAnimationFrame(pending);
  pending = requestAnimationFrame(redraw);
});
document.addEventListener("toggle", () => tables.forEach(fitTable), true);  // what was folded had no width
media.dark.addEventListener("change", redraw);
window.addEventListener("beforeprint", toPaper);
window.addEventListener("afterprint", toScreen);
document.documentElement.dataset.drawn = "true";
