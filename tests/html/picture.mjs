// The picture of README.md: the top of a report and its cluster. usage: picture.mjs PAGE OUT.png SECTION...
// (sections by the beginning of their titles; the others are taken away)
import {createRequire} from "node:module";
import {pathToFileURL} from "node:url";

const {chromium} = createRequire(import.meta.url)(process.env.NODE_PATH + "/playwright-core");
const [file, out, ...wanted] = process.argv.slice(2);
const browser = await chromium.launch({executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"]});
try {
  const page = await browser.newPage({viewport: {width: 800, height: 800}});
  await page.goto(pathToFileURL(file).href);
  await page.waitForSelector("html[data-drawn=true]");
  await page.evaluate((titles) => {
    document.querySelectorAll("nav, details, .facts").forEach((e) => e.remove());
    document.querySelectorAll("section").forEach((s) => {
      if (!titles.some((t) => s.querySelector("h2").textContent.startsWith(t))) s.remove();
    });
  }, wanted);
  await page.screenshot({path: out, fullPage: true});
} finally {
  await browser.close();
}
