// The cluster as a picture: switches in tiers above, nodes with their devices below, wires coloured by what they carry
// in the frame that the scrubber shows.
const scenes = [];

const boxWidth = 52;
const boxHeight = 22;
const boxGap = 8;
const rowGap = 58;
const tierGap = 104;
const deviceRows = ["nic", "pcie-switch", "cpu", "gpu", "nvswitch"];  // of a node, from the fabric down

function shortName(box) {
  const own = box.node >= 0 && box.kind !== "folded" ? box.name.slice(box.name.indexOf(".") + 1) : box.name;
  const name = box.kind === "folded" ? "+ " + own : own;
  return name.length > 18 ? name.slice(0, 17) + "\u2026" : name;
}

const widthOf = (box) => Math.max(boxWidth, shortName(box).length * 6.6 + 10);

// What a row needs, box beside box.
const rowWidth = (boxes) => boxes.reduce((sum, [, box]) => sum + widthOf(box) + boxGap, 0);

// Places the boxes of a row over a width, each with as much room to spare.
function spread(boxes, left, width, y, places) {
  const room = Math.max(0, width - rowWidth(boxes)) / boxes.length;
  let x = left;
  for (const [index, box] of boxes) {
    const own = widthOf(box) + boxGap + room;
    places[index] = {x: x + own / 2, y};
    x += own;
  }
}

// Boxes round a circle, the first at the top.
function layOutCircle(section) {
  const count = section.boxes.length;
  const radius = Math.max(130, count * 15);
  const width = 2 * radius + 180;
  const height = 2 * radius + 70;
  const places = section.boxes.map((_, i) => ({
    x: width / 2 + radius * Math.sin((2 * Math.PI * i) / count), y: height / 2 - radius * Math.cos((2 * Math.PI * i) / count)}));
  return {places, frames: [], width, height};
}

function layOut(section) {
  if (section.circle) return layOutCircle(section);
  const places = [];
  const indexed = section.boxes.map((box, i) => [i, box]);
  const nodes = [...new Set(section.boxes.filter((b) => b.node >= 0).map((b) => b.node))];
  const tiers = Math.max(0, ...section.boxes.map((b) => b.tier));
  const rows = deviceRows.filter((kind) => section.boxes.some((b) => b.node >= 0 && b.kind === kind));
  const ofNode = nodes.map((node) => indexed.filter(([, b]) => b.node === node));
  const widest = ofNode.map((boxes) =>
    Math.max(boxWidth + boxGap, ...rows.map((kind) => rowWidth(boxes.filter(([, b]) => b.kind === kind)))) + 24);
  const top = 20 + tiers * tierGap;
  const frames = [];
  let left = 8;
  nodes.forEach((node, i) => {
    rows.forEach((kind, r) => {
      spread(ofNode[i].filter(([, b]) => b.kind === kind), left + 6, widest[i] - 12, top + 44 + r * rowGap, places);
    });
    frames.push({x: left, y: top, width: widest[i], height: 40 + (rows.length - 1) * rowGap + boxHeight + 8, node});
    left += widest[i] + 16;
  });
  const folded = indexed.filter(([, b]) => b.kind === "folded" && b.tier === 0);
  folded.forEach(([index]) => {
    places[index] = {x: left + 62, y: top + 60};
    left += 140;
  });
  const ofTier = Array.from({length: tiers}, (_, i) => indexed.filter(([, b]) => b.tier === i + 1 && b.node < 0));
  const width = Math.max(left, 320, ...ofTier.map((boxes) => rowWidth(boxes) + 16));
  ofTier.forEach((boxes, i) => spread(boxes, 8, width - 16, 24 + (tiers - 1 - i) * tierGap, places));
  const bottom = top + 40 + Math.max(rows.length - 1, 0) * rowGap + boxHeight + 24;
  return {places, frames, width, height: bottom};
}

function heat(share) {
  const stops = [0, 1, 2].map((i) => color("heat" + i));
  const rgb = (hex) => [1, 3, 5].map((i) => parseInt(hex.slice(i, i + 2), 16));
  const at = Math.min(Math.max(share, 0), 1) * 2;
  const low = rgb(stops[Math.min(Math.floor(at), 1)]);
  const high = rgb(stops[Math.min(Math.floor(at), 1) + 1]);
  const part = at - Math.min(Math.floor(at), 1);
  return "rgb(" + low.map((v, i) => Math.round(v + (high[i] - v) * part)).join(",") + ")";
}

// Straight between rows, bowed within one.
const bowOf = (a, b) => (Math.abs(a.y - b.y) > 1 ? 0 : 28 + Math.abs(a.x - b.x) * 0.24);

function wirePath(a, b) {
  const bow = bowOf(a, b);
  if (bow === 0) return "M" + a.x + " " + a.y + "L" + b.x + " " + b.y;
  return "M" + a.x + " " + a.y + "Q" + (a.x + b.x) / 2 + " " + (a.y + bow) + " " + b.x + " " + b.y;
}

// The point of a wire at a share of its length.
function placeOnWire(a, b, share) {
  return {x: a.x + (b.x - a.x) * share, y: a.y + (b.y - a.y) * share + 2 * share * (1 - share) * bowOf(a, b)};
}

function wireWords(section, wire, frame) {
  if (section.circle) return wire.name + (wire.busy && wire.busy[frame] > 0 ? ": a piece comes" : "");
  const cables = wire.cables > 1 ? ", " + wire.cables + " cables" : "";
  const rate = wire.capacity > 0 ? ", " + format(wire.capacity, "rate") + " each way" : "";
  const parts = [wire.name + " (" + wire.class + cables + rate + ")"];
  const at = (values) => (values ? values[frame] ?? null : null);
  if (at(wire.busy) !== null) parts.push(format(at(wire.busy), "share") + " busy");
  if (at(wire.queued)) parts.push(format(at(wire.queued), "size") + " queued");
  if (at(wire.paused)) parts.push("paused " + format(at(wire.paused), "share") + " of the time");
  return parts.join(", ");
}

function drawBox(box, place, picture) {
  const label = shortName(box);
  const width = widthOf(box);
  picture.append(svg("g", {},
    svg("title", {}, box.name + " (" + box.kind + ")"),
    svg("rect", {class: box.kind === "folded" ? "folded" : "box", x: place.x - width / 2, y: place.y - boxHeight / 2,
      width, height: boxHeight, rx: 4}),
    svg("text", {x: place.x, y: place.y + 4, "text-anchor": "middle"}, label)));
}

function drawWire(wire, places) {
  const a = places[wire.a];
  const b = places[wire.b];
  const line = svg("path", {d: wirePath(a, b), fill: "none"});
  const title = svg("title");
  line.append(title);
  const upper = a.y < b.y ? a : b;
  const lower = a.y < b.y ? b : a;
  const queued = placeOnWire(lower, upper, 0.3);
  const paused = placeOnWire(lower, upper, 0.5);
  const queue = svg("circle", {class: "queue", cx: queued.x, cy: queued.y, r: 0});
  const pause = svg("text", {class: "pause", x: paused.x, y: paused.y + 4, "text-anchor": "middle"});
  return {wire, line, title, queue, pause};
}

// Wires, queues and pauses as they are in one frame.
function showFrame(section, drawn, most, frame) {
  for (const {wire, line, title, queue, pause} of drawn) {
    const queued = wire.queued ? wire.queued[frame] ?? 0 : 0;
    const paused = wire.paused ? wire.paused[frame] ?? 0 : 0;
    // Where nothing moves any more, what stands still is hot.
    const busy = wire.busy ? wire.busy[frame] ?? 0 : section.wires.some((w) => w.busy) ? 0 : paused;
    line.setAttribute("stroke", heat(busy));
    line.setAttribute("stroke-width", (1.2 + 3.8 * busy).toFixed(2));
    line.setAttribute("class", paused > 0.01 ? "paused" : "");
    title.textContent = wireWords(section, wire, frame);
    queue.setAttribute("r", queued > 0 ? (2 + 9 * Math.sqrt(queued / most)).toFixed(2) : 0);
    pause.textContent = paused > 0.01 ? "\u275a\u275a" : "";
  }
}

function frameSummary(section, frame) {
  if (section.frames.length === 0) return "";
  if (section.circle) {
    const come = section.wires.filter((wire) => wire.busy && wire.busy[frame] > 0).map((wire) => wire.name);
    if (come.length === 0) return "no piece comes in this moment";
    return "a piece comes over " + come.slice(0, 3).join(", ") + (come.length > 3 ? " and " + (come.length - 3) + " more" : "");
  }
  const busiest = section.wires.reduce((best, wire) =>
    ((wire.busy ? wire.busy[frame] : 0) > (best && best.busy ? best.busy[frame] : 0) ? wire : best), null);
  const paused = section.wires.filter((wire) => wire.paused && wire.paused[frame] > 0.01).length;
  return (busiest ? "busiest drawn: " + wireWords(section, busiest, frame) : "nothing moves") +
    (paused > 0 ? "; " + paused + " links paused" : "");
}

// The scrubber: one step a frame, and a button that plays them.
function controls(section, show) {
  const last = section.frames.length - 1;
  const id = "frame-" + scenes.length;
  const slider = element("input", {type: "range", id, min: 0, max: last, step: 1, value: section.start ?? last});
  const output = element("output", {for: id});
  const play = element("button", {type: "button"}, "Play");
  const status = element("p", {class: "soft", "aria-live": "polite"});
  const update = () => {
    const frame = Number(slider.value);
    output.textContent = section.frames[frame];
    slider.setAttribute("aria-valuetext", section.frames[frame]);
    status.textContent = frameSummary(section, frame);
    show(frame);
  };
  let timer = null;
  const stop = () => {
    clearInterval(timer);
    timer = null;
    play.textContent = "Play";
  };
  play.addEventListener("click", () => {
    if (timer !== null) return stop();
    if (Number(slider.value) === last) slider.value = 0;
    play.textContent = "Pause";
    update();
    timer = setInterval(() => {
      slider.value = Number(slider.value) + 1;
      update();
      if (Number(slider.value) === last) stop();
    }, Math.max(60, 6000 / section.frames.length));
  });
  slider.addEventListener("input", update);
  const row = element("div", {class: "controls"}, element("label", {for: id}, section.frame_kind), slider, output, play);
  return {row, status, update};
}

function sceneTable(section) {
  if (section.circle) {
    const moments = (wire) => (wire.busy ?? []).filter((v) => v > 0).length;
    return tableBehind([{label: "flow", unit: "none"}, {label: "moments with a piece", unit: "count"}],
      section.wires.map((wire) => [wire.name, moments(wire)]), section.title);
  }
  const most = (values) => (values ? Math.max(...values.map((v) => v ?? 0)) : null);
  const columns = [{label: "link", unit: "none"}, {label: "kind", unit: "none"}, {label: "each way", unit: "rate"},
    {label: "cables", unit: "count"}, {label: "most busy", unit: "share"}, {label: "most queued", unit: "size"},
    {label: "paused at most", unit: "share"}].slice(0, section.wires.some((w) => w.queued || w.paused) ? 7 : 5);
  const rows = section.wires.map((w) =>
    [w.name, w.class, w.capacity, w.cables, most(w.busy), most(w.queued), most(w.paused)].slice(0, columns.length));
  return tableBehind(columns, rows, section.title);
}

function sceneLegend(section) {
  const queues = section.wires.some((w) => w.queued);
  const words = [section.circle ? "a piece comes" : "busy", queues ? "\u25cf grows with the queue; \u275a\u275a and dashes: paused" : "", section.folded];
  return element("div", {class: "legend"}, element("span", {}, "idle"), element("span", {class: "ramp", "aria-hidden": "true"}),
    ...words.filter((text) => text !== "").map((text) => element("span", {}, text)));
}

function sceneSection(section) {
  const {places, frames, width, height} = layOut(section);
  const label = section.title + ". " + section.boxes.filter((b) => b.kind !== "folded").length + " devices and " +
    section.wires.length + " links drawn. " + section.folded;
  const picture = svg("svg", {viewBox: "0 0 " + width + " " + height, role: "img", "aria-label": label});
  const drawn = section.wires.map((wire) => drawWire(wire, places));
  for (const frame of frames) {
    picture.append(svg("rect", {class: "frame", x: frame.x, y: frame.y, width: frame.width, height: frame.height, rx: 8}));
  }
  picture.append(...drawn.map((d) => d.line), ...drawn.map((d) => d.queue));
  picture.append(...frames.map((frame) =>
    svg("text", {class: "soft named", x: frame.x + 10, y: frame.y + 18}, "node" + frame.node)));
  section.boxes.forEach((box, i) => drawBox(box, places[i] ?? {x: 40, y: 20}, picture));
  picture.append(...drawn.map((d) => d.pause));
  const most = Math.max(1, ...section.wires.flatMap((w) => (w.queued ?? []).map((v) => v ?? 0)));
  const show = (frame) => showFrame(section, drawn, most, frame);
  const scroller = element("div", {class: "scroll scene", tabindex: "0", role: "region", "aria-label": section.title}, picture);
  picture.style.minWidth = Math.min(width, 1600) * 0.62 + "px";
  picture.style.maxWidth = width * 1.25 + "px";
  if (section.frames.length === 0) {
    show(0);
    scenes.push(() => show(0));
    return element("div", {}, scroller, sceneLegend(section), sceneTable(section));
  }
  const {row, status, update} = controls(section, show);
  scenes.push(update);
  update();
  return element("div", {}, section.frames.length > 1 ? row : null, scroller, sceneLegend(section), status, sceneTable(section));
}
