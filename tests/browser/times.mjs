// How long people wait for the pages of `codedb ui`: node times.mjs PROGRAM CHROMIUM TREE
//
// The tree is indexed first. Prints, in milliseconds: the command until the first page is painted; a keystroke of
// a search until its results are painted; the map of the tree and of its largest folder; and the bytes of pages.
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { chromium } from "playwright-core";

const [named, browserPath, tree] = process.argv.slice(2);
if (!tree) throw new Error("usage: node times.mjs PROGRAM CHROMIUM TREE");
// It is started in the tree.
const program = resolve(named);
const QUERIES = ["open", "config", "error", "parse_", "TODO", "return x"];
const ROUNDS = 5;

const home = mkdtempSync(join(tmpdir(), "codedb-ui-"));
const env = { ...process.env, HOME: home, XDG_CACHE_HOME: join(home, "cache"), XDG_DATA_HOME: join(home, "data"), XDG_CONFIG_HOME: join(home, "config") };
execFileSync(program, ["index", "--wait", "full"], { cwd: tree, env, stdio: "ignore" });

const flags = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
const browser = await chromium.launch({ executablePath: browserPath, args: flags });
const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
const page = await context.newPage();
await page.goto("about:blank");

const start = () =>
  new Promise((resolve) => {
    const server = spawn(program, ["ui", "--no-open", "--port", "0"], { cwd: tree, env, stdio: ["ignore", "pipe", "inherit"] });
    let text = "";
    server.stdout.on("data", (data) => {
      text += data;
      if (text.includes("\n")) resolve([server, text.trim()]);
    });
  });
/** The time at which the content of the page was first painted, in milliseconds since 1970. */
const painted = () =>
  page.evaluate(async () => {
    const find = () => performance.getEntriesByName("first-contentful-paint")[0];
    while (!find()) await new Promise(requestAnimationFrame);
    return performance.timeOrigin + find().startTime;
  });
const print = (what, times) => {
  const sorted = [...times].sort((one, other) => one - other);
  console.log(`${what}: median ${Math.round(sorted[sorted.length >> 1])} ms, max ${Math.round(sorted.at(-1))} ms (${sorted.length})`);
};

let server, address, origin;
const first = [];
for (let round = 0; round < ROUNDS; round++) {
  server?.kill("SIGINT");
  const began = Date.now();
  [server, address] = await start();
  await page.goto(address, { waitUntil: "commit" });
  first.push((await painted()) - began);
}
print("command typed until the first page is painted", first);
origin = new URL(address).origin;

const keys = [];
for (const query of QUERIES) {
  await page.goto(`${origin}/search`);
  await page.evaluate(() => {
    window.typed = 0;
    window.waits = [];
    document.addEventListener("keydown", (event) => (window.typed = event.timeStamp), true);
    document.addEventListener("shown", () => requestAnimationFrame(() => setTimeout(() => window.waits.push(performance.now() - window.typed))));
  });
  for (const [at, key] of [...query].entries()) {
    await page.keyboard.press(key === " " ? "Space" : key);
    await page.waitForFunction((count) => window.waits.length >= count, at + 1, { polling: 5 });
  }
  keys.push(...(await page.evaluate(() => window.waits)));
}
print("keystroke until its results are painted", keys);

const maps = [];
const zooms = [];
const bytes = [];
for (let round = 0; round < ROUNDS; round++) {
  let began = Date.now();
  const response = await page.goto(`${origin}/map`, { waitUntil: "commit" });
  maps.push((await painted()) - began);
  bytes.push((await response.body()).length);
  const folder = await page.evaluate(() => document.querySelector("svg a")?.getAttribute("href"));
  began = Date.now();
  await page.goto(origin + folder, { waitUntil: "commit" });
  zooms.push((await painted()) - began);
}
print("map of the tree", maps);
print("map of a folder", zooms);
console.log(`bytes of the map: ${Math.max(...bytes)}`);

await browser.close();
server.kill("SIGINT");
rmSync(home, { recursive: true, force: true });
