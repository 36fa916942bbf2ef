// Tables: what every picture rests on, and what a screen reader reads.

const tables = [];  // and pictures that may be wider than the page, each with what says so

// What does not fit even the window scrolls, and says so: half a table looks like a whole one.
function fitTable({place, hint}) {
  place.classList.remove("wide");
  place.classList.toggle("wide", place.scrollWidth > place.clientWidth);
  hint.hidden = place.scrollWidth <= place.clientWidth;
}

// Names of figures (time_low80_s) may break behind each part.
function breakable(name) {
  return name.split(/(?<=_)/).flatMap((part, i) => (i === 0 ? [part] : [element("wbr"), part]));
}

// "12 %" and "3.5 us" stay together.
const unbroken = (text) => text.replace(/(\d) (?=(%|[kMGTP]?i?B(\/s)?|[mun]?s)(?![\w]))/g, "$1\u00a0");

// columns: [{label, unit}], rows: cells that are numbers, words or null
function makeTable(columns, rows, caption, marked = []) {
  const numeric = columns.map((_, i) => rows.some((row) => typeof row[i] === "number"));
  const cellClass = (i) => (numeric[i] ? "number" : null);
  const head = element("tr", {}, ...columns.map((c, i) => element("th", {scope: "col", class: cellClass(i)}, ...breakable(c.label))));
  const body = rows.map((row, r) =>
    element("tr", {class: marked.includes(r) ? "marked" : null},
      ...row.map((cell, i) => element("td", {class: cellClass(i)}, unbroken(format(cell, columns[i].unit))))));
  const place = element("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": caption},
    element("table", {}, element("thead", {}, head), element("tbody", {}, ...body)));
  const hint = element("p", {class: "soft hint", hidden: true}, columns.length + " columns: scroll sideways to see them all.");
  tables.push({place, hint});
  return element("div", {}, hint, place);
}

// The figures behind a picture, folded away until asked for.
function tableBehind(columns, rows, title) {
  return element("details", {}, element("summary", {}, "The figures as a table"),
    makeTable(columns, rows, title + ": the figures"));
}

function tableSection(section) {
  const table = makeTable(section.columns, section.rows, section.title, section.marked);
  if (!section.folded) return table;
  return element("details", {}, element("summary", {}, section.rows.length + " rows"), table);
}
