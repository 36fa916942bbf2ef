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
function bandSeries(section, line, z) {
  const points = line.points.filter((p) => p[2] !== null && p[3] !== null);
  if (points.length < 2 || line.measured) return [];
  const at = (p, y) => [placeOn(section.x, p[0]), placeOn(section.y, y)];
  return [{
    type: "custom", name: line.label, silent: true, z, tooltip: {show: false},
    data: [at(points[0], points[0][1])], clip: true,
    renderItem: (_, api) => ({
      type: "polygon",
      shape: {points: [...points.map((p) => api.coord(at(p, p[2]))),
        ...points.toReversed().map((p) => api.coord(at(p, p[3])))]},
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

// Logarithmic axes are linear in the exponent, so that their ticks are ours: powers of two for sizes and counts.
function baseOf(axis) {
  return axis.unit === "size" || axis.unit === "count" ? 2 : 10;
}

function placeOn(axis, value) {
  return axis.log ? Math.log(value) / Math.log(baseOf(axis)) : value;
}

function valueAxis(axis, values, extra) {
  const bare = {...axisStyle(), ...extra, name: axis.label, nameLocation: "middle", type: "value"};
  const label = (v) => format(axis.log ? baseOf(axis) ** v : v, axis.unit);
  bare.axisLabel = {...bare.axisLabel, formatter: label};
  const most = Math.max(...values);
  if (!axis.log) {
    return {...bare, min: 0, max: extra.tight ? most : niceAbove(most), ...binarySteps(axis.unit, most)};
  }
  const min = Math.floor(placeOn(axis, Math.min(...values)) + 1e-9);
  const max = Math.max(Math.ceil(placeOn(axis, most) - 1e-9), min + 1);
  return {...bare, min, max, interval: Math.ceil((max - min) / 8)};
}

function curveOptions(section, width) {
  const points = section.lines.flatMap((line) => line.points);
  const ys = points.flatMap((p) => p.slice(1).filter((v) => v !== null && v > 0));
  const colors = palette();
  const series = section.lines.flatMap((line, i) => {
    const own = {color: colors[i % colors.length]};
    const main = line.measured
      ? {type: "scatter", symbolSize: 8, symbol: "diamond"}
      : {type: "line", symbol: "circle", symbolSize: 5, showSymbol: line.points.length < 60, lineStyle: {width: 2}};
    return [...bandSeries(section, line, 1).map((band) => ({...band, itemStyle: own})),
      {...main, name: line.label, itemStyle: own, z: 3, data: line.points.map((p) => [placeOn(section.x, p[0]), placeOn(section.y, p[1])]),
        lineStyle: {width: 2, color: own.color}}];
  });
  return {
    ...commonOptions(),
    legend: {...legend(section.lines.length > 1), data: section.lines.map((line) => line.label)},
    grid: {left: 88, right: 40, top: section.lines.length > 1 ? legendHeight(section.lines.map((line) => line.label), width) : 16, bottom: 52},
    tooltip: tooltip("item", (what) => {
      const line = section.lines.find((l) => l.label === what.seriesName);
      const p = line.points[what.dataIndex];
      const range = p[2] === null ? [] : ["80 %: " + format(p[2], section.y.unit) + " to " + format(p[3], section.y.unit)];
      return [line.label, format(p[0], section.x.unit) + ": " + format(p[1], section.y.unit), ...range];
    }),
    xAxis: valueAxis(section.x, points.map((p) => p[0]), {nameGap: 32, tight: true}),
    yAxis: valueAxis(section.y, ys, {nameGap: 70}),
    series,
  };
}

function curvesSection(section) {
  return element("div", {}, chartPlace(curveLabel(section), 0, (width) => curveOptions(section, width)), curveTable(section));
}
