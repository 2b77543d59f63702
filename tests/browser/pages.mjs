// The pages of `codedb ui` in a browser: node pages.mjs PROGRAM CHROMIUM [TREE]
//
// Without TREE, the pages show a small repository with hostile names that is made here. Every page is opened
// in light and dark, wide and narrow, and checked by axe; then what people do on them is done by keyboard.
// `--pictures DIR` writes a picture of every page; SUBJECT and TASK are what they are about.
import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { request } from "node:http";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { chromium } from "playwright-core";

const words = process.argv.slice(2);
const at = words.indexOf("--pictures");
const pictures = at < 0 ? null : words.splice(at, 2)[1];
const [named, browserPath, given] = words;
if (!named || !browserPath) throw new Error("usage: node pages.mjs PROGRAM CHROMIUM [TREE] [--pictures DIR]");

// It is started in the tree.
const program = resolve(named);
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const BYTES_MAX = 150 * 1024;
const failures = [];
const check = (holds, what) => {
  if (!holds) failures.push(what);
};

const home = mkdtempSync(join(tmpdir(), "codedb-ui-"));
const EVIL = "<img src=x onerror=evil()>";

/** Makes a repository whose names and texts try to be markup. */
function repository() {
  const tree = join(home, "shop");
  const write = (path, text) => {
    mkdirSync(join(tree, path, ".."), { recursive: true });
    writeFileSync(join(tree, path), text);
  };
  write("src/cart.py", 'def total(prices):\n    """Adds."""\n    return sum(prices)\n\n\ndef checkout(cart):\n    return total(cart.prices)\n');
  write("src/shop.py", "from src.cart import total\n\n\ndef main():\n    return total([1, 2])\n");
  write("tests/test_cart.py", "from src.cart import total\n\n\ndef test_total():\n    assert total([1]) == 1\n");
  write(`src/${EVIL}.py`, `# </pre><script>evil()</script>\nname = "${EVIL}"\n`);
  write("src/\u202Egnp.py", "bidirectional = '\u202E // \u2066'\n");
  write("src/long.txt", `${"a".repeat(10_000_000)}\nneedle\n`);
  write(".env", "SECRET_TOKEN=hunter2hunter2\n");
  const git = (...args) =>
    execFileSync("git", ["-c", "user.name=<b>A</b>", "-c", "user.email=a@example.org", "-c", "commit.gpgsign=false", ...args], { cwd: tree });
  git("init", "-q");
  git("add", "-A", "--force", "src", "tests");
  git("commit", "-q", "-m", `Add the shop ${EVIL}`);
  write("src/cart.py", readFileSync(join(tree, "src/cart.py"), "utf8").replace("Adds.", "Adds prices."));
  git("commit", "-q", "-a", "-m", "Say what is added\n\nUse integers for prices because floats lose cents.");
  return tree;
}

const tree = given ?? repository();
// An editor that opens a window, by its name.
const [editor, opened] = [join(home, "bin", "code"), join(home, "opened")];
mkdirSync(join(home, "bin"));
writeFileSync(editor, `#!/bin/sh\necho "$@" >"${opened}.new" && mv "${opened}.new" "${opened}"\n`, { mode: 0o755 });
const environment = { ...process.env, VISUAL: editor, HOME: home, XDG_CACHE_HOME: join(home, "cache"), XDG_DATA_HOME: join(home, "data"), XDG_CONFIG_HOME: join(home, "config") };
const codedb = (...args) => execFileSync(program, args, { cwd: tree, env: environment, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
codedb("index", "--wait", "full");

const server = spawn(program, ["ui", "--no-open", "--port", "0"], { cwd: tree, env: environment, stdio: ["ignore", "pipe", "inherit"] });
const printed = await new Promise((resolve, reject) => {
  let text = "";
  server.stdout.on("data", (data) => {
    text += data;
    if (text.includes("\n")) resolve(text.trim());
  });
  server.on("exit", (code) => reject(new Error(`codedb ui ended with ${code}`)));
});
const { origin, port } = new URL(printed);

/** Sends a request as no browser would; returns status, headers and text. */
const raw = (path, { headers = {}, method = "GET", body = "" } = {}) =>
  new Promise((resolve, reject) => {
    const sent = request({ host: "127.0.0.1", port, path, method, headers }, (response) => {
      let text = "";
      response.on("data", (data) => (text += data));
      response.on("end", () => resolve({ status: response.statusCode, headers: response.headers, text }));
    });
    sent.on("error", reject);
    sent.end(body);
  });

const flags = ["--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking", "--disable-component-update", "--disable-sync"];
const browser = await chromium.launch({ executablePath: browserPath, args: flags });
let path = "start";

/** Opens a window whose errors are failures. */
async function open(options = {}, context = null) {
  const of = context ?? (await browser.newContext({ viewport: { width: 1280, height: 800 }, ...options }));
  const page = await of.newPage();
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type()) && !/status of (401|403|404|400)/.test(message.text())) failures.push(`${path}: console: ${message.text()}`);
  });
  page.on("pageerror", (error) => failures.push(`${path}: ${error.message}`));
  page.on("dialog", (dialog) => failures.push(`${path}: dialog ${dialog.message()}`));
  await page.addInitScript(() => (window.evil = () => (window.isEvil = true)));
  return page;
}

try {
  // Who is admitted.
  const refused = await raw("/search");
  check(refused.status === 401 && !refused.text.includes("cart"), "a page without a session is refused");
  check((await raw("/search", { headers: { Host: "evil.example" } })).status === 403, "a foreign host is refused");
  check((await raw("/search", { headers: { Host: `127.0.0.1:${port}`, Origin: "http://evil.example" } })).status === 403, "a foreign origin is refused");
  const page = await open();
  await page.goto(printed);
  check(page.url() === `${origin}/search`, `the token is not left in the address: ${page.url()}`);
  check((await raw(new URL(printed).pathname + new URL(printed).search)).status === 401, "a token admits one browser");
  const context = page.context();
  const cookie = (await context.cookies()).map(({ name, value }) => `${name}=${value}`).join("; ");
  const own = { Host: `127.0.0.1:${port}`, Cookie: cookie };
  const answered = await raw("/search", { headers: own });
  const policy = answered.headers["content-security-policy"] ?? "";
  check(answered.status === 200 && policy.includes("script-src 'self'") && !policy.includes("unsafe"), `policy: ${policy}`);
  const forged = { ...own, "Content-Type": "application/x-www-form-urlencoded" };
  check((await raw("/decisions", { method: "POST", headers: forged, body: "id=x&verdict=approve" })).status === 403, "a form without its token is refused");
  check((await raw("/decisions", { method: "POST", headers: { ...forged, Origin: "null" }, body: "id=x" })).status === 403, "a form of another site is refused");
  for (const strange of ["/file/%ff", "/file/../../etc/passwd", "/file/%2e%2e/%2e%2e/etc/passwd", "/nothing", "/file/src/cart.py?line=99999999999999999999", "/assets/../Cargo.toml"]) {
    const { status, text } = await raw(strange, { headers: own });
    check(status < 500 && !text.includes("root:x"), `${strange}: ${status}`);
  }

  // Every page, in light and dark, wide and narrow.
  const links = await page.$$eval("header nav a", (all) => all.map((link) => [link.getAttribute("href"), link.textContent]));
  const first = given ? codedb("find", "README", "--json") : null;
  const file = process.env.FILE ?? (first ? JSON.parse(first).files[0].path : "src/cart.py");
  const pages = links.map(([href]) => href);
  pages.push(`/file/${file}`, `/file/${file}?ages=1`, `/history/${file}`, `/risk/${file}`, "/search?q=total", "/search?q=zzzz+nothing", "/context?task=how+are+prices+added", "/symbol?name=total", "/calls?name=total");
  if (!given) pages.push(`/file/src/${encodeURIComponent(EVIL)}.py`, `/history/src/${encodeURIComponent(EVIL)}.py`, "/file/src/%E2%80%AEgnp.py", "/file/src/long.txt", "/search?q=evil", "/search?q=needle", "/search?q=(&regex=1");
  pages.push("/map?colour=churn", "/map?colour=risk", "/map?colour=coverage", "/map?view=imports", "/map/src?colour=age", "/map/src?view=imports", "/calls?name=total&depth=3", "/calls?name=main&to=total");
  for (const [name, options] of [["light", {}], ["dark", { colorScheme: "dark" }], ["narrow", { viewport: { width: 390, height: 800 } }]]) {
    const window = await open({}, context);
    if (options.viewport) await window.setViewportSize(options.viewport);
    await window.emulateMedia({ colorScheme: options.colorScheme ?? "light" });
    for (path of pages) {
      const response = await window.goto(origin + path);
      check(response.status() < 400, `${path}: status ${response.status()}`);
      await window.waitForFunction(() => !document.querySelector("section[aria-busy='true']"), null, { timeout: 60_000 });
      const { responseBodySize: bytes } = await response.request().sizes();
      check(bytes <= BYTES_MAX, `${path}: ${bytes} bytes`);
      check(!(await window.evaluate(() => window.isEvil)), `${path}: a text of the repository was run`);
      check(!(await window.content()).includes("hunter2"), `${path}: shows a secret`);
      const wide = await window.evaluate(() => document.documentElement.scrollWidth - innerWidth);
      check(wide <= 0, `${path} (${name}): ${wide} units too wide`);
      await window.evaluate(axe);
      const { violations } = await window.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
      for (const { id, impact, nodes } of violations) failures.push(`${path} (${name}): ${impact} ${id}: ${nodes.length} × ${nodes[0].html.slice(0, 160)}`);
    }
    await window.close();
  }

  // A picture of each page, with something on it.
  if (pictures) {
    mkdirSync(pictures, { recursive: true });
    const window = await open({}, context);
    await window.setViewportSize({ width: 1000, height: 620 });
    const subject = process.env.SUBJECT ?? "total";
    const shown = { search: `?q=${subject}`, file: `/${file}`, symbol: `?name=${subject}`, calls: `?name=${subject}`, context: `?task=${encodeURIComponent(process.env.TASK ?? "how are prices added")}`, history: "", risk: `/${file}` };
    for (const [href] of links) {
      path = href + (shown[href.slice(1)] ?? "");
      await window.goto(origin + path);
      await window.waitForFunction(() => !document.querySelector("section[aria-busy='true']"), null, { timeout: 60_000 });
      await window.screenshot({ path: join(pictures, `${href.slice(1)}.jpg`), type: "jpeg", quality: 60 });
    }
    await window.close();
  }

  // By keyboard alone: search, step to a result, open it, go to another page.
  path = "keyboard";
  if (!given) {
    await page.goto(`${origin}/search`);
    await page.keyboard.type("def total");
    // The results of the last key, and the facets that follow them.
    const isDone = () => document.querySelector(".count")?.textContent.startsWith("1 line in 1 file") && !document.querySelector("[aria-busy='true']");
    await page.waitForFunction(isDone, null, { timeout: 10_000 });
    check(await page.evaluate(() => new URLSearchParams(location.search).get("q") === "def total"), "the address has the query");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("e");
    await page.waitForFunction(() => document.getElementById("progress").textContent === "opened src/cart.py");
    for (let tries = 0; tries < 200 && !existsSync(opened); tries++) await page.waitForTimeout(25);
    check(readFileSync(opened, "utf8").endsWith("/src/cart.py:1\n"), "a result is opened in the editor");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/file\/src\/cart.py\?line=1/);
    check((await page.textContent("#L1"))?.includes("def total"), "a result leads to its line");
    await page.keyboard.press("g");
    await page.keyboard.press("h");
    await page.waitForURL(/\/history/);
    await page.keyboard.press("?");
    await page.waitForSelector("dialog[open]");
    await page.keyboard.press("Escape");

    // An edit is visible on the open page.
    path = "edit";
    await page.goto(`${origin}/file/src/shop.py`);
    await page.waitForTimeout(500);
    const started = Date.now();
    writeFileSync(join(tree, "src/shop.py"), "def edited_now():\n    return 1\n");
    await page.waitForFunction(() => document.getElementById("source")?.textContent.includes("edited_now"), null, { timeout: 10_000, polling: 10 });
    console.log(`an edit is visible after ${Date.now() - started} ms`);

    // A person decides about a candidate.
    path = "decisions";
    for (const pattern of ["Use integers for prices", `Use ${EVIL} for nothing`]) {
      codedb("decisions", "add", "--pattern", pattern, "--scope", "global", "--rationale", "floats lose cents", "--ref", "src/cart.py:3");
    }
    await page.goto(`${origin}/decisions`);
    const before = await page.locator("article.decision button[value=approve]").count();
    check(before === 2, `${before} candidates`);
    check((await page.textContent("article.decision pre.code")).includes("return sum(prices)"), "cited lines are beside a candidate");
    await page.locator("article.decision button[value=approve]").first().click();
    await page.waitForSelector(".done");
    check((await page.locator("article.decision button[value=approve]").count()) === 1, "an approved candidate is one no more");
    check(codedb("decisions", "list").includes("canonical"), "the decision is stored");
    await page.locator("article.decision button[value=reject]").first().click();
    await page.waitForSelector(".done");
    check(!(await page.evaluate(() => window.isEvil)), "a text of a decision was run");
  }
  console.log(`${pages.length} pages`);
} catch (error) {
  failures.push(`${path}: ${error.message}`);
} finally {
  await browser.close();
  server.kill("SIGINT");
  rmSync(home, { recursive: true, force: true });
}
for (const failure of [...new Set(failures)]) console.error(`failed: ${failure}`);
process.exitCode = failures.length > 0 ? 1 : 0;
