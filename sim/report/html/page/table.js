// Tables: what every picture rests on, and what a screen reader reads.

// columns: [{label, unit}], rows: cells that are numbers, words or null
function makeTable(columns, rows, caption, marked = []) {
  const numeric = columns.map((_, i) => rows.some((row) => typeof row[i] === "number"));
  const cellClass = (i) => (numeric[i] ? "number" : null);
  const head = element("tr", {}, ...columns.map((c, i) => element("th", {scope: "col", class: cellClass(i)}, c.label)));
  const body = rows.map((row, r) =>
    element("tr", {class: marked.includes(r) ? "marked" : null},
      ...row.map((cell, i) => element("td", {class: cellClass(i)}, format(cell, columns[i].unit)))));
  return element("div", {class: "scroll", tabindex: "0", role: "region", "aria-label": caption},
    element("table", {}, element("thead", {}, head), element("tbody", {}, ...body)));
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
