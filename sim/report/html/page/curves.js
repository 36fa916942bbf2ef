// Lines with their 80 % bands, and what was measured as dots over them.

function curveTable(section) {
  const columns = [{label: "curve", unit: "none"}, {label: section.x.label, unit: section.x.unit},
    {label: section.y.label, unit: section.y.unit}, {label: "low", unit: section.y.unit},
    {label: "high", unit: section.y.unit}];
  const rows = section.lines.flatMap((line) => line.points.map((p) => [line.label, ...p]));
  return tableBehind(columns, rows, section.title);
}

function curveLabel(section) {
  const parts = section.lines.filter((line) => line.points.length > 0).map((line) => {
    const first = line.points[0];
    const last = line.points[line.points.length - 1];
    const at = (p) => format(p[1], section.y.unit) + " at " + format(p[0], section.x.unit);
    return line.label + ": " + at(first) + ", " + at(last);
  });
  return section.title + ". " + section.y.label + " over " + section.x.label + ". " + parts.join(". ");
}

// The interval as a closed shape through all lows, then back through all highs.
function bandSeries(line, z) {
  const points = line.points.filter((p) => p[2] !== null && p[3] !== null);
  if (points.length < 2 || line.measured) return [];
  return [{
    type: "custom", name: line.label, silent: true, z, tooltip: {show: false},
    data: [points[0].slice(0, 2)], clip: true,
    renderItem: (_, api) => ({
      type: "polygon",
      shape: {points: [...points.map((p) => api.coord([p[0], p[2]])),
        ...points.toReversed().map((p) => api.coord([p[0], p[3]]))]},
      style: {fill: api.visual("color"), opacity: 0.18},
    }),
  }];
}

// The next round figure: a tenth of a decade above 2, a fifth below.
function niceAbove(value) {
  if (!(value > 0)) return 1;
  const decade = 10 ** Math.floor(Math.log10(value));
  const step = value / decade > 2 ? decade : decade / 5;
  return Math.ceil(value / step - 1e-9) * step;
}

function valueAxis(axis, values, extra) {
  const bare = {...axisStyle(), ...extra, name: axis.label, nameLocation: "middle"};
  bare.axisLabel = {...bare.axisLabel, formatter: (v) => format(v, axis.unit)};
  if (!axis.log) return {...bare, type: "value", min: 0, max: niceAbove(Math.max(...values))};
  const logBase = axis.unit === "size" || axis.unit === "count" ? 2 : 10;
  const least = Math.min(...values);
  const most = Math.max(...values);
  const down = (v) => logBase ** Math.floor(Math.log(v) / Math.log(logBase) + 1e-9);
  const up = (v) => logBase ** Math.ceil(Math.log(v) / Math.log(logBase) - 1e-9);
  return {...bare, type: "log", logBase, min: down(least), max: up(most)};
}

function curveOptions(section) {
  const points = section.lines.flatMap((line) => line.points);
  const ys = points.flatMap((p) => p.slice(1).filter((v) => v !== null && v > 0));
  const colors = palette();
  const series = section.lines.flatMap((line, i) => {
    const own = {color: colors[i % colors.length]};
    const main = line.measured
      ? {type: "scatter", symbolSize: 8, symbol: "diamond"}
      : {type: "line", symbol: "circle", symbolSize: 5, lineStyle: {width: 2}};
    return [...bandSeries(line, 1).map((band) => ({...band, itemStyle: own})),
      {...main, name: line.label, itemStyle: own, z: 3, data: line.points.map((p) => p.slice(0, 2)),
        lineStyle: {width: 2, color: own.color}}];
  });
  return {
    ...commonOptions(),
    legend: {...legend(section.lines.length > 1), data: section.lines.map((line) => line.label)},
    grid: {left: 76, right: 24, top: section.lines.length > 1 ? 36 : 16, bottom: 52},
    tooltip: tooltip("item", (what) => {
      const line = section.lines.find((l) => l.label === what.seriesName);
      const p = line.points[what.dataIndex];
      const range = p[2] === null ? [] : ["80 %: " + format(p[2], section.y.unit) + " to " + format(p[3], section.y.unit)];
      return [line.label, format(p[0], section.x.unit) + ": " + format(p[1], section.y.unit), ...range];
    }),
    xAxis: valueAxis(section.x, points.map((p) => p[0]), {nameGap: 32}),
    yAxis: valueAxis(section.y, ys, {nameGap: 58}),
    series,
  };
}

function curvesSection(section) {
  return element("div", {}, chartPlace(curveLabel(section), 0, () => curveOptions(section)), curveTable(section));
}
