// ECharts pictures: drawn as SVG (text stays text), again when the page's width, colours or medium change.
const charts = [];

function textStyle() {
  return {color: color("ink"), fontFamily: "system-ui, sans-serif", fontSize: 12};
}

function axisStyle() {
  return {
    axisLabel: {color: color("soft"), hideOverlap: true},
    axisLine: {lineStyle: {color: color("soft")}},
    nameTextStyle: {color: color("soft")},
    splitLine: {lineStyle: {color: color("rule"), opacity: 0.6}},
  };
}

function commonOptions() {
  return {
    animation: false,
    backgroundColor: "transparent",
    color: palette(),
    textStyle: textStyle(),
    aria: {enabled: false},  // the figure's own label and table say more
  };
}

// A tooltip as an element: names in it stay text.
function tip(lines) {
  return element("div", {}, ...lines.map((line) => element("div", {}, line)));
}

function tooltip(trigger, linesOf) {
  return {
    trigger,
    confine: true,
    backgroundColor: color("card"),
    borderColor: color("rule"),
    textStyle: {color: color("ink"), fontSize: 12},
    formatter: (what) => tip(linesOf(what)),
  };
}

// Room that a legend of these labels takes above a picture of this width.
function legendHeight(labels, width) {
  let rows = 1;
  let used = 0;
  for (const label of labels) {
    const own = label.length * 7 + 34;
    if (used > 0 && used + own > width) {
      ++rows;
      used = 0;
    }
    used += own;
  }
  return 16 + 20 * rows;
}

function legend(show) {
  return {show, top: 0, left: 0, textStyle: {color: color("ink")}, icon: "roundRect", itemWidth: 14, itemHeight: 8};
}

// A place for a picture; `options()` is asked for at each drawing. Drawn once it stands in the page.
function chartPlace(label, height, options) {
  const place = element("div", {class: "chart", role: "img", "aria-label": label});
  if (height) place.style.height = height + "px";
  charts.push({place, options, chart: null});
  return place;
}

function drawCharts() {
  for (const entry of charts) {
    entry.chart = entry.chart ?? echarts.init(entry.place, null, {renderer: "svg"});
    entry.chart.resize();
    entry.chart.setOption(entry.options(entry.place.clientWidth), true);
  }
}
