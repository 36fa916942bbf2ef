// Lying bars: parts of a whole, changes either way, and what ran when.

function leftMargin(labels, width) {
  const longest = Math.max(...labels.map((label) => label.length), 4);
  return Math.min(24 + longest * 6.6, width * 0.42);
}

function labelAxis(labels, width) {
  const margin = leftMargin(labels, width);
  return {
    ...axisStyle(), type: "category", data: labels, inverse: true, splitLine: {show: false},
    axisLabel: {color: color("ink"), width: margin - 12, overflow: "truncate", interval: 0},
  };
}

// Binary sizes step by powers of two; the others as the library likes.
function binarySteps(unit, most) {
  if (unit !== "size" || !(most > 0)) return {};
  const interval = 2 ** Math.floor(Math.log2(most / 3));
  return {interval, max: Math.ceil(most / interval) * interval};
}

function amountAxis(unit, extra = {}) {
  const bare = axisStyle();
  return {...bare, type: "value", axisLabel: {...bare.axisLabel, formatter: (v) => format(v, unit)}, ...extra};
}

function barOptions(section, width) {
  const totals = section.labels.map((_, i) => section.parts.reduce((sum, part) => sum + part.values[i], 0));
  return {
    ...commonOptions(),
    legend: legend(true),
    grid: {left: leftMargin(section.labels, width), right: 28, top: legendHeight(section.parts.map((part) => part.label), width), bottom: 32},
    tooltip: tooltip("item", (what) => {
      return [section.labels[what.dataIndex], what.seriesName + ": " + format(what.value, section.unit) +
        " (" + format(what.value / totals[what.dataIndex], "share") + ")"];
    }),
    xAxis: amountAxis(section.unit, binarySteps(section.unit, Math.max(...totals))),
    yAxis: labelAxis(section.labels, width),
    series: section.parts.map((part) =>
      ({type: "bar", stack: "all", name: part.label, data: part.values, barMaxWidth: 34})),
  };
}

function barsSection(section) {
  const label = section.title + ". " + section.labels.map((name, i) => name + ": " +
    section.parts.map((part) => part.label + " " + format(part.values[i], section.unit)).join(", ")).join(". ");
  const columns = [{label: "", unit: "none"}, ...section.parts.map((part) => ({label: part.label, unit: section.unit}))];
  const rows = section.labels.map((name, i) => [name, ...section.parts.map((part) => part.values[i])]);
  const height = 110 + 44 * section.labels.length;
  return element("div", {}, chartPlace(label, height, (width) => barOptions(section, width)),
    tableBehind(columns, rows, section.title));
}

// Beside the bar; above its line where it has an interval.
function labelPlace(bar) {
  const side = bar.change < 0 ? "left" : "right";
  return bar.low === null || bar.high === null ? {position: side} : {position: side, offset: [0, -9]};
}

function tornadoOptions(section, width) {
  const labels = section.bars.map((bar) => bar.label);
  const ends = section.bars.flatMap((bar) => [bar.change, bar.low ?? 0, bar.high ?? 0]);
  const signed = (v) => (v > 0 ? "+" : "") + format(v, section.unit);
  return {
    ...commonOptions(),
    grid: {left: leftMargin(labels, width), right: 72, top: 12, bottom: 32},
    tooltip: tooltip("item", (what) => [labels[what.dataIndex], signed(what.value)]),
    // Where all is below a per cent, tenths of it would all be nought.
    xAxis: amountAxis(section.unit === "share" && Math.max(...ends.map(Math.abs)) < 0.005 ? "smallShare" : section.unit),
    yAxis: labelAxis(labels, width),
    series: [{
      type: "bar", barMaxWidth: 26,
      data: section.bars.map((bar) => ({
        value: bar.change,
        itemStyle: {color: color(bar.change < 0 ? "c2" : "c1")},
        label: {show: true, color: color("ink"), formatter: () => signed(bar.change), ...labelPlace(bar)},
      })),
    }, ...whiskers(section)],
  };
}

// The interval of each bar that has one.
function whiskers(section) {
  const data = section.bars.flatMap((bar, i) => (bar.low === null || bar.high === null ? [] : [[i, bar.low, bar.high]]));
  if (data.length === 0) return [];
  return [{
    type: "custom", silent: true, z: 4, encode: {x: [1, 2], y: 0}, tooltip: {show: false}, data,
    renderItem: (_, api) => {
      const [low, y] = api.coord([api.value(1), api.value(0)]);
      const [high] = api.coord([api.value(2), api.value(0)]);
      const style = {stroke: color("ink"), lineWidth: 1.5};
      const stroke = (x1, y1, x2, y2) => ({type: "line", shape: {x1, y1, x2, y2}, style});
      return {type: "group", children: [stroke(low, y, high, y), stroke(low, y - 5, low, y + 5), stroke(high, y - 5, high, y + 5)]};
    },
  }];
}

function tornadoSection(section) {
  const label = section.title + ", how much each changes it. " + section.bars.map((bar) =>
    bar.label + ": " + format(bar.change, section.unit)).join(". ");
  const columns = [{label: "change", unit: "none"}, {label: "effect", unit: section.unit},
    {label: "low", unit: section.unit}, {label: "high", unit: section.unit}];
  const rows = section.bars.map((bar) => [bar.label, bar.change, bar.low, bar.high]);
  return element("div", {}, chartPlace(label, 60 + 34 * section.bars.length, (width) => tornadoOptions(section, width)),
    tableBehind(columns, rows, section.title));
}

function activityOptions(section, width) {
  const colors = palette();
  return {
    ...commonOptions(),
    grid: {left: leftMargin(section.lanes, width), right: 40, top: 8, bottom: 84},
    dataZoom: [{type: "slider", bottom: 8, height: 22, labelFormatter: (v) => format(v, "time"), filterMode: "weakFilter",
      textStyle: {color: color("soft")}}, {type: "inside", filterMode: "weakFilter", zoomOnMouseWheel: "ctrl"}],
    tooltip: tooltip("item", (what) => {
      const [lane, name, from, to] = section.spans[what.dataIndex];
      return [section.lanes[lane], name, format(from, "time") + " to " + format(to, "time") + ": " + format(to - from, "time")];
    }),
    xAxis: amountAxis("time", {splitLine: {show: false}, max: Math.max(...section.spans.map((s) => s[3]))}),
    yAxis: labelAxis(section.lanes, width),
    series: [{
      type: "custom",
      encode: {x: [1, 2], y: 0},
      data: section.spans.map((span) => [span[0], span[2], span[3]]),
      renderItem: (params, api) => {
        const lane = api.value(0);
        const from = api.coord([api.value(1), lane]);
        const to = api.coord([api.value(2), lane]);
        const height = Math.min(api.size([0, 1])[1] * 0.7, 40);
        const area = params.coordSys;
        const shape = echarts.graphic.clipRectByRect(
          {x: from[0], y: from[1] - height / 2, width: Math.max(to[0] - from[0], 0.6), height},
          {x: area.x, y: area.y, width: area.width, height: area.height});
        return shape && {type: "rect", shape, style: {fill: colors[lane % colors.length]}};
      },
    }],
  };
}

// Time that the spans of a lane cover, and how many they are: the table behind the timeline.
function activityRows(section) {
  return section.lanes.map((lane, i) => {
    const spans = section.spans.filter((span) => span[0] === i);
    return [lane, spans.length, spans.reduce((sum, s) => sum + s[3] - s[2], 0), Math.min(...spans.map((s) => s[2])),
      Math.max(...spans.map((s) => s[3]))];
  });
}

function activitySection(section) {
  const rows = activityRows(section);
  const label = section.title + ". " + rows.map((r) => r[0] + ": " + r[1] + " spans, " + format(r[2], "time")).join(". ");
  const columns = [{label: "lane", unit: "none"}, {label: "spans", unit: "count"}, {label: "in all", unit: "time"},
    {label: "first starts", unit: "time"}, {label: "last ends", unit: "time"}];
  return element("div", {}, chartPlace(label, 120 + 46 * section.lanes.length, (width) => activityOptions(section, width)),
    tableBehind(columns, rows, section.title));
}
