// Figures as people write them, from SI base units.
const decimalSteps = [["P", 1e15], ["T", 1e12], ["G", 1e9], ["M", 1e6], ["k", 1e3], ["", 1]];
const timeSteps = [["s", 1], ["ms", 1e-3], ["us", 1e-6], ["ns", 1e-9], ["ps", 1e-12]];
const sizeSteps = [["PiB", 2 ** 50], ["TiB", 2 ** 40], ["GiB", 2 ** 30], ["MiB", 2 ** 20], ["KiB", 2 ** 10], ["B", 1]];

// Four digits at most, without a tail of zeros.
function digits(value) {
  return String(Number(value.toPrecision(4)));
}

function scaled(value, steps, unit) {
  const size = Math.abs(value);
  const [prefix, step] = steps.find((s) => size >= s[1] * (1 - 1e-9)) ?? steps[steps.length - 1];
  return digits(value / step) + " " + prefix + unit;
}

const formats = {
  none: (v) => (Math.abs(v) >= 1e6 ? v.toExponential(3) : digits(v)),
  count: (v) => (Number.isInteger(v) ? v.toLocaleString("en-US") : Math.abs(v) < 100 ? digits(v) : Math.round(v).toLocaleString("en-US")),
  time: (v) => (v === 0 ? "0 s" : scaled(v, timeSteps, "")),
  rate: (v) => scaled(v, decimalSteps, "B/s"),
  size: (v) => scaled(v, sizeSteps, ""),
  share: (v) => (100 * v).toFixed(Math.abs(v) < 0.1 ? 1 : 0).replace(/^-(0\.0)$/, "$1") + " %",
  smallShare: (v) => Number((100 * v).toPrecision(2)) + " %",
  flops: (v) => scaled(v, decimalSteps, "FLOP/s"),
  power: (v) => scaled(v, decimalSteps, "W"),
  money: (v) => "$" + (Math.abs(v) >= 100 ? Math.round(v).toLocaleString("en-US") : v.toPrecision(3)),
};

function format(value, unit) {
  if (value === null || value === undefined) return "";
  return typeof value === "number" ? formats[unit](value) : value;
}
