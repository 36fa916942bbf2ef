// Opens each page as a reader would and holds it to what the report promises: no error, nothing from the network,
// pictures that are not blank, a scrubber that moves, text that can be copied, names that stay text; on a phone, in
// the dark and on paper too. usage: check_pages.mjs [--figures] PAGE...
import {createRequire} from "node:module";
import {readFileSync, statSync} from "node:fs";
import {basename} from "node:path";
import {pathToFileURL} from "node:url";

const require = createRequire(import.meta.url);
const {chromium} = require(process.env.NODE_PATH + "/playwright-core");

let failures = 0;
let checks = 0;
function check(page, what, holds, found = "") {
  ++checks;
  if (holds) return;
  ++failures;
  console.log(`${page}: ${what}${found === "" ? "" : ` (found ${found})`}`);
}

// A tab that opens one report after the other: a fresh one for each would start a process and compile ECharts every
// time, which is three quarters of what opening costs.
async function tab(browser, options = {}) {
  const page = await (await browser.newContext(options)).newPage();
  page.setDefaultTimeout(180000);  // of a machine that does much else; a page that hangs never comes
  const complaints = [];
  page.on("console", (message) => ["error", "warning"].includes(message.type()) && complaints.push(message.text()));
  page.on("pageerror", (error) => complaints.push(String(error)));
  page.on("request", (request) => /^(file|data):/.test(request.url()) || complaints.push("asked for " + request.url()));
  return {page, complaints};
}

// Milliseconds until the report stands drawn; only its own complaints are left.
async function open({page, complaints}, file) {
  complaints.length = 0;
  const start = performance.now();
  await page.goto(pathToFileURL(file).href);
  await page.waitForSelector("html[data-drawn=true]");
  return performance.now() - start;
}

// Distinct colours of a picture's pixels, counted by a page of its own.
async function colours(counter, shot) {
  return counter.evaluate(async (data) => {
    const image = new Image();
    image.src = "data:image/png;base64," + data;
    await image.decode();
    const canvas = document.createElement("canvas");
    [canvas.width, canvas.height] = [image.width, image.height];
    const context = canvas.getContext("2d");
    context.drawImage(image, 0, 0);
    const pixels = new Uint32Array(context.getImageData(0, 0, image.width, image.height).data.buffer);
    return new Set(pixels).size;
  }, shot.toString("base64"));
}

async function checkPictures(name, page, counter) {
  const pictures = await page.$$(".chart, .scene svg");
  check(name, "there are pictures", pictures.length > 0, pictures.length);
  for (const [i, picture] of pictures.entries()) {
    await picture.scrollIntoViewIfNeeded();
    const seen = await colours(counter, await picture.screenshot());
    check(name, `picture ${i} is not blank`, seen >= 4, `${seen} colours`);
    const label = await picture.getAttribute("aria-label");
    check(name, `picture ${i} says what it shows`, (label ?? "").length > 20, label);
    const tables = await picture.evaluate((p) => p.closest("section").querySelectorAll("table tbody tr").length);
    check(name, `picture ${i} has a table behind it`, tables > 0, tables);
  }
}

// What a reader cannot see without being told: columns beyond the edge, and labels that a picture cuts.
async function checkFits(name, page) {
  const cut = await page.evaluate(() => {
    document.querySelectorAll("details").forEach((details) => (details.open = true));
    const beyond = (text) => {
      const [own, all] = [text.getBoundingClientRect(), text.closest("svg").getBoundingClientRect()];
      return own.width > 0 && (own.left < all.left - 1 || own.right > all.right + 1 || own.top < all.top - 1 || own.bottom > all.bottom + 1);
    };
    return [...document.querySelectorAll(".chart svg text, .scene svg text")].filter(beyond).map((text) => text.textContent);
  });
  check(name, "no label of a picture is cut", cut.length === 0, cut.join("; "));
  await page.evaluate(() => new Promise(requestAnimationFrame));
  const silent = await page.evaluate(() => [...document.querySelectorAll(".scroll")].filter((place) =>
    place.querySelector("table") && place.scrollWidth > place.clientWidth && place.previousElementSibling.hidden).length);
  check(name, "a table whose columns do not fit says so", silent === 0, silent);
  const hints = await page.evaluate(() => document.querySelectorAll(".hint:not([hidden])").length);
  check(name, "in a window of a laptop all columns fit", hints === 0, hints);
}

async function checkScrubber(name, page) {
  const slider = page.locator("input[type=range]").first();
  if ((await slider.count()) === 0) return false;
  const look = () => page.evaluate(() => {
    const scene = document.querySelector("input[type=range]").closest("section");
    return [...scene.querySelectorAll(".scene path, .scene circle")].map((p) =>
      (p.getAttribute("stroke") ?? "") + p.getAttribute("stroke-width") + p.getAttribute("r")).join();
  });
  const label = () => page.locator("output").first().textContent();
  await slider.focus();
  await page.keyboard.press("End");
  const end = await look();
  const endLabel = await label();
  await page.keyboard.press("Home");
  const home = await look();
  let moved = home !== end;
  for (let step = 0; step < 9 && !moved; ++step) {  // a run may end as quiet as it began
    await page.keyboard.press("PageUp");
    moved = (await look()) !== home;
  }
  await page.keyboard.press("Home");
  check(name, "the scrubber moves the picture", moved);
  check(name, "the scrubber says where it stands", (await label()) !== endLabel, endLabel);
  const before = await slider.inputValue();
  await page.locator("button").first().click();
  await page.waitForFunction((v) => document.querySelector("input[type=range]").value !== v, before);
  return true;
}

async function checkText(name, page, title) {
  const copied = await page.evaluate(() => {
    window.getSelection().selectAllChildren(document.body);
    return window.getSelection().toString();
  });
  const answer = await page.locator(".answer").textContent();
  check(name, "the answer is a sentence", answer.length > 40 && answer.endsWith("."), answer);
  check(name, "the answer can be copied", copied.includes(answer));
  check(name, "what a picture says can be copied", await page.evaluate(() => {
    const text = document.querySelector(".chart text, .scene text");
    window.getSelection().selectAllChildren(text);
    return window.getSelection().toString().length > 0;
  }));
  check(name, "the scenario's name stands as it is", (await page.locator("h1").textContent()) === title, title);
  const made = await page.evaluate(() => [window.evil, document.querySelectorAll("img, #page b, #page script").length]);
  check(name, "no name became markup", made[0] === undefined && made[1] === 0, made);
}

// In a room without light, one tab for both: a page is drawn when it opens, and that takes longest.
async function checkPhoneInTheDark(name, phone, file) {
  await open(phone, file);
  const width = await phone.page.evaluate(() => document.documentElement.scrollWidth);
  check(name, "a phone needs no sideways scrolling", width <= 390, `${width} px`);
  check(name, "a phone sees no error", phone.complaints.length === 0, phone.complaints.join("; "));
  const [paper, text] = await phone.page.evaluate(() => [getComputedStyle(document.body).backgroundColor,
    document.querySelector(".chart text")?.getAttribute("fill") ?? "none"]);
  check(name, "the dark is dark", /^rgb\((\d\d?), /.test(paper), paper);
  check(name, "its pictures are drawn for it", !/^#0|^#1|^#2/.test(text), text);
}

async function checkPaper(name, page) {
  const pdf = await page.pdf({format: "A4"});
  check(name, "it prints", pdf.length > 20000, `${pdf.length} bytes`);
  await page.evaluate(() => window.dispatchEvent(new Event("beforeprint")));
  const widest = await page.evaluate(() => Math.max(0, ...[...document.querySelectorAll(".chart svg")].map((s) => s.clientWidth)));
  check(name, "no picture is wider than a sheet", widest <= 700, `${widest} px`);
}

// How long a reader waits who opens a report first thing: a tab of its own each time.
async function printFigures(browser, file) {
  const times = [];
  for (let i = 0; i < 5; ++i) {
    const fresh = await tab(browser);
    times.push(await open(fresh, file));
    await fresh.page.context().close();
  }
  console.log(`figure: html_report_MB ${(statSync(file).size / 1e6).toFixed(3)} MB`);
  console.log(`figure: html_report_open_ms ${times.sort((a, b) => a - b)[2].toFixed(0)} ms`);
}

async function checkPages(browser, files) {
  const counter = await (await browser.newContext()).newPage();
  const desktop = await tab(browser);
  const phone = await tab(browser, {viewport: {width: 390, height: 844}, hasTouch: true, colorScheme: "dark"});
  const {page, complaints} = desktop;
  let scrubbers = 0;
  for (const file of files) {
    const name = basename(file);
    await page.setViewportSize({width: 1280, height: 720});
    await open(desktop, file);
    const megabytes = statSync(file).size / 1e6;
    const model = JSON.parse(/<script type="application\/json" id="model">(.*?)<\/script>/s.exec(readFileSync(file, "utf8"))[1]);
    check(name, "it is smaller than 5 MB", megabytes < 5, `${megabytes} MB`);
    await checkPictures(name, page, counter);
    scrubbers += (await checkScrubber(name, page)) ? 1 : 0;
    await checkText(name, page, model.title);
    await page.setViewportSize({width: 1366, height: 768});
    await checkFits(name, page);
    check(name, "it opens without a complaint", complaints.length === 0, complaints.join("; "));
    await checkPaper(name, page);
    await checkPhoneInTheDark(name, phone, file);
  }
  check("all pages", "some page has a scrubber", scrubbers > 0);
  console.log(`${files.length} pages, ${checks} checks, ${failures} failures`);
}

const figuresOnly = process.argv[2] === "--figures";
const files = process.argv.slice(figuresOnly ? 3 : 2);
const browser = await chromium.launch({executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"]});
try {
  await (figuresOnly ? printFigures(browser, files[0]) : checkPages(browser, files));
} finally {
  await browser.close();
}
process.exit(failures === 0 ? 0 : 1);
