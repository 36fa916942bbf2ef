// Elements. Whatever a user named goes in as text, never as markup.
const svgNamespace = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== null && value !== false) node.setAttribute(name, value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined));
  return node;
}

// element("p", {class: "soft"}, "text", otherElement)
function element(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

function svg(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(svgNamespace, tag), attributes, children);
}

const media = {
  dark: window.matchMedia("(prefers-color-scheme: dark)"),
  print: window.matchMedia("print"),
};

// A colour of the style sheet as it is now: light, dark or print.
function color(name) {
  return getComputedStyle(document.documentElement).getPropertyValue("--" + name).trim();
}

function palette() {
  return [0, 1, 2, 3, 4, 5, 6, 7].map((i) => color("c" + i));
}
