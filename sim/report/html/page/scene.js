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
  if (box.kind === "folded") return "+ " + own;
  // Names of one kind differ at their ends.
  return own.length > 18 ? own.slice(0, 7) + "\u2026" + own.slice(-10) : own;
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

// Switches in the order of what is cabled to them below, so that few wires cross; those folded away last.
function aboveTheirs(boxes, wires, places) {
  const middle = new Map(boxes.map(([index]) => {
    const below = wires.flatMap((wire) => (wire.a === index ? [wire.b] : wire.b === index ? [wire.a] : []))
      .map((other) => places[other]).filter((place) => place !== undefined);
    return [index, below.length === 0 ? Infinity : below.reduce((sum, place) => sum + place.x, 0) / below.length];
  }));
  const order = (index) => middle.get(index);
  return [...boxes].sort(([a], [b]) => (order(a) === order(b) ? a - b : order(a) - order(b)));
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
    frames.push({x: left, y: top + 18, width: widest[i], height: 22 + (rows.length - 1) * rowGap + boxHeight + 8, node});
    left += widest[i] + 16;
  });
  const folded = indexed.filter(([, b]) => b.kind === "folded" && b.tier === 0);
  folded.forEach(([index]) => {
    places[index] = {x: left + 62, y: top + 60};
    left += 140;
  });
  const ofTier = Array.from({length: tiers}, (_, i) => indexed.filter(([, b]) => b.tier === i + 1 && b.node < 0));
  const width = Math.max(left, 320, ...ofTier.map((boxes) => rowWidth(boxes) + 16));
  ofTier.forEach((boxes, i) =>
    spread(aboveTheirs(boxes, section.wires, places), 8, width - 16, 24 + (tiers - 1 - i) * tierGap, places));
  const lowest = rows.length > 0 || folded.length > 0 ? top + 40 + Math.max(rows.length - 1, 0) * rowGap + 34 : 24 + (tiers - 1) * tierGap + 12;
  return {places, frames, width, height: lowest + boxHeight};
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

// Where a wire begins and ends: cables beside each other stand apart by some pixels.
function endsOf(wire, places) {
  const [a, b] = [places[wire.a], places[wire.b]];
  const length = Math.hypot(b.x - a.x, b.y - a.y) || 1;
  const aside = (wire.place - (wire.beside - 1) / 2) * Math.min(7, 36 / wire.beside);
  const [dx, dy] = [(-(b.y - a.y) / length) * aside, ((b.x - a.x) / length) * aside];
  return [{x: a.x + dx, y: a.y + dy}, {x: b.x + dx, y: b.y + dy}];
}

// Tells each wire how many join the same boxes, and which of them it is.
function countBeside(wires) {
  const joined = new Map();
  for (const wire of wires) {
    const pair = wire.a + " " + wire.b;
    joined.set(pair, [...(joined.get(pair) ?? []), wire]);
  }
  for (const group of joined.values()) group.forEach((wire, i) => Object.assign(wire, {place: i, beside: group.length}));
}

function wirePath(a, b) {
  const bow = bowOf(a, b);
  if (bow === 0) return "M" + a.x + " " + a.y + "L" + b.x + " " + b.y;
  return "M" + a.x + " " + a.y + "Q" + (a.x + b.x) / 2 + " " + (a.y + bow) + " " + b.x + " " + b.y;
}

// The point of a wire at a share of its length.
function placeOnWire(a, b, share) {
  return {x: a.x + (b.x - a.x) * share, y: a.y + (b.y - a.y) * share + 2 * share * (1 - share) * bowOf(a, b)};
}

// The directions that a wire has, and what one does in a frame: null where that is not known.
const directionsOf = (wire) => wire.directions.filter((direction) => direction !== null);
const inFrame = (direction, what, frame) => (direction && direction[what] ? direction[what][frame] ?? null : null);

// The direction of a wire that does most in a frame: sends, else holds back.
function busier(wire, frame) {
  const most = (what) => (best, one) => ((inFrame(one, what, frame) ?? 0) > (inFrame(best, what, frame) ?? 0) ? one : best);
  const directions = directionsOf(wire);
  const sends = directions.reduce(most("busy"));
  return inFrame(sends, "busy", frame) > 0 ? sends : directions.reduce(most("paused"));
}

function directionWords(direction, frame) {
  const parts = [direction.name];
  const at = (what) => inFrame(direction, what, frame);
  if (at("busy") !== null) parts.push(format(at("busy"), "share") + " busy");
  if (at("queued")) parts.push(format(at("queued"), "size") + " queued");
  if (at("paused")) parts.push("paused " + format(at("paused"), "share") + " of the time");
  return parts.join(", ");
}

function wireWords(section, wire, frame) {
  if (section.circle) return wire.directions[0].name + (inFrame(wire.directions[0], "busy", frame) > 0 ? ": a piece comes" : "");
  const cables = wire.cables > 1 ? ", " + wire.cables + " cables" : "";
  const rate = wire.capacity > 0 ? ", " + format(wire.capacity, "rate") + " each way" : "";
  return [...directionsOf(wire).map((direction) => directionWords(direction, frame)), wire.class + cables + rate].join("\n");
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

// What a direction does stands near the device that sends.
function drawDirection(from, to) {
  const near = Math.max(0.22, 21 / Math.hypot(to.x - from.x, to.y - from.y));  // clear of the box
  const queued = placeOnWire(from, to, near);
  const paused = placeOnWire(from, to, near + 0.13);
  return {queue: svg("circle", {class: "queue", cx: queued.x, cy: queued.y, r: 0}),
    pause: svg("text", {class: "pause", x: paused.x, y: paused.y + 4, "text-anchor": "middle"})};
}

function drawWire(wire, places) {
  const [a, b] = endsOf(wire, places);
  const line = svg("path", {d: wirePath(a, b), fill: "none"});
  const title = svg("title");
  line.append(title);
  const marks = wire.directions.flatMap((direction, i) =>
    (direction === null ? [] : [{direction, ...(i === 0 ? drawDirection(a, b) : drawDirection(b, a))}]));
  return {wire, line, title, marks};
}

// Wires, queues and pauses as they are in one frame.
function showFrame(section, drawn, most, frame) {
  const moves = section.wires.some((wire) => directionsOf(wire).some((direction) => direction.busy));
  for (const {wire, line, title, marks} of drawn) {
    const direction = busier(wire, frame);
    // Where nothing moves any more, what stands still is hot.
    const busy = inFrame(direction, moves ? "busy" : "paused", frame) ?? 0;
    line.setAttribute("stroke", heat(busy));
    line.setAttribute("stroke-width", ((1.2 + 3.8 * busy) / Math.sqrt(wire.beside)).toFixed(2));
    line.setAttribute("class", marks.some((mark) => inFrame(mark.direction, "paused", frame) > 0.01) ? "paused" : "");
    title.textContent = wireWords(section, wire, frame);
    for (const mark of marks) {
      const queued = inFrame(mark.direction, "queued", frame) ?? 0;
      mark.queue.setAttribute("r", queued > 0 ? (2 + 9 * Math.sqrt(queued / most)).toFixed(2) : 0);
      mark.pause.textContent = inFrame(mark.direction, "paused", frame) > 0.01 ? "\u275a\u275a" : "";
    }
  }
}

function frameSummary(section, frame) {
  if (section.frames.length === 0) return "";
  if (section.circle) {
    const come = section.wires.map((wire) => wire.directions[0]).filter((flow) => inFrame(flow, "busy", frame) > 0).map((flow) => flow.name);
    if (come.length === 0) return "no piece comes in this moment";
    return "a piece comes over " + come.slice(0, 3).join(", ") + (come.length > 3 ? " and " + (come.length - 3) + " more" : "");
  }
  const busiest = section.wires.map((wire) => busier(wire, frame)).reduce((best, direction) =>
    ((inFrame(direction, "busy", frame) ?? 0) > (inFrame(best, "busy", frame) ?? 0) ? direction : best), null);
  const paused = section.wires.flatMap(directionsOf).filter((direction) => inFrame(direction, "paused", frame) > 0.01).length;
  return (busiest ? "the busiest that is drawn: " + directionWords(busiest, frame) : "nothing moves") +
    (paused > 0 ? "; paused: " + paused + (paused === 1 ? " sender" : " senders") : "");
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
    const moments = (flow) => (flow.busy ?? []).filter((v) => v > 0).length;
    return tableBehind([{label: "flow", unit: "none"}, {label: "moments with a piece", unit: "count"}],
      section.wires.map((wire) => [wire.directions[0].name, moments(wire.directions[0])]), section.title);
  }
  const most = (values) => (values ? Math.max(...values.map((v) => v ?? 0)) : null);
  const columns = [{label: "link", unit: "none"}, {label: "kind", unit: "none"}, {label: "rate", unit: "rate"},
    {label: "cables", unit: "count"}, {label: "most busy", unit: "share"}, {label: "most queued", unit: "size"},
    {label: "paused at most", unit: "share"}].slice(0, section.wires.some((w) => directionsOf(w).some((d) => d.queued || d.paused)) ? 7 : 5);
  const rows = section.wires.flatMap((w) => directionsOf(w).map((d) =>
    [d.name, w.class, w.capacity, w.cables, most(d.busy), most(d.queued), most(d.paused)].slice(0, columns.length)));
  return tableBehind(columns, rows, section.title);
}

function sceneLegend(section) {
  const queues = section.wires.some((w) => directionsOf(w).some((d) => d.queued));
  const words = [section.circle ? "a piece comes" : "busy", queues ? "\u25cf grows with the queue; \u275a\u275a and dashes: paused" : "", section.folded];
  // Without a load there is nothing to colour.
  const ramp = [element("span", {}, "idle"), element("span", {class: "ramp", "aria-hidden": "true"})];
  return element("div", {class: "legend"}, ...(section.frames.length > 0 || section.circle ? ramp : []),
    ...(section.frames.length > 0 || section.circle ? words : words.slice(2)).filter((text) => text !== "").map((text) => element("span", {}, text)));
}

function sceneSection(section) {
  const {places, frames, width, height} = layOut(section);
  const label = section.title + ". " + section.boxes.filter((b) => b.kind !== "folded").length + " devices and " +
    section.wires.length + " links drawn. " + section.folded;
  const picture = svg("svg", {viewBox: "0 0 " + width + " " + height, role: "img", "aria-label": label});
  countBeside(section.wires);
  const drawn = section.wires.map((wire) => drawWire(wire, places));
  const marks = drawn.flatMap((d) => d.marks);
  for (const frame of frames) {
    picture.append(svg("rect", {class: "frame", x: frame.x, y: frame.y, width: frame.width, height: frame.height, rx: 8}));
  }
  picture.append(...drawn.map((d) => d.line), ...marks.map((m) => m.queue));
  picture.append(...frames.map((frame) =>
    svg("text", {class: "soft named", x: frame.x + 10, y: frame.y + frame.height + 14}, "node" + frame.node)));
  section.boxes.forEach((box, i) => drawBox(box, places[i] ?? {x: 40, y: 20}, picture));
  picture.append(...marks.map((m) => m.pause));
  const most = Math.max(1, ...marks.flatMap((m) => (m.direction.queued ?? []).map((v) => v ?? 0)));
  const show = (frame) => showFrame(section, drawn, most, frame);
  const scroller = element("div", {class: "scroll scene", tabindex: "0", role: "region", "aria-label": section.title}, picture);
  picture.style.minWidth = width * 0.62 + "px";  // boxes can be read; what is wider scrolls
  const hint = element("p", {class: "soft hint", hidden: true}, "A wide picture: scroll sideways to see all of it.");
  tables.push({place: scroller, hint});
  picture.style.maxWidth = width * 1.25 + "px";
  if (section.frames.length === 0) {
    show(0);
    scenes.push(() => show(0));
    return element("div", {}, hint, scroller, sceneLegend(section), sceneTable(section));
  }
  const {row, status, update} = controls(section, show);
  scenes.push(update);
  update();
  return element("div", {}, section.frames.length > 1 ? row : null, hint, scroller, sceneLegend(section), status, sceneTable(section));
}
