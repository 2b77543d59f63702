// Tests codedb with the official TypeScript SDK as the client: `node conformance.mjs PATH_OF_CODEDB`.
// Runs sessions with valid and invalid calls over standard streams and over HTTP.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { mkdtempSync, mkdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join, resolve } from "node:path";
import { createInterface } from "node:readline";

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";
import { StreamableHTTPClientTransport } from "@modelcontextprotocol/sdk/client/streamableHttp.js";

const codedb = resolve(process.argv[2]);
const files = {
  "src/cart.rs": "/// Adds.\npub fn add_item() -> u32 {\n    1\n}\n",
  "src/main.rs": "mod cart;\n\nfn main() {\n    cart::add_item();\n}\n",
  ".env": "KEY=1\n",
};
const directory = mkdtempSync(join(tmpdir(), "codedb-clients-"));
const root = join(directory, "tree");
for (const [path, text] of Object.entries(files)) {
  const file = join(root, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, text);
}
const place = ["--root", root, "--index-dir", join(directory, "index"), "--toolsets", "all"];

async function session(transport) {
  const client = new Client({ name: "conformance", version: "1" });
  await client.connect(transport);
  assert.equal(client.getServerVersion().name, "codedb");
  assert.match(client.getInstructions(), /codedb_context/);
  const { tools } = await client.listTools();
  assert.equal(tools[0].name, "codedb_context");
  const call = (name, args, options) => client.callTool({ name, arguments: args }, undefined, options);
  const reported = [];
  const found = await call("codedb_symbol", { name: "add_item" }, { onprogress: (of) => reported.push(of.progress) });
  assert.match(found.content[0].text, /src\/cart\.rs/);
  assert.deepEqual(reported, [...reported].sort((a, b) => a - b));
  const calls = [
    ["codedb_context", { task: "who calls add_item" }, "src/main.rs"],
    ["codedb_search", { query: "cart::add_item" }, "src/main.rs"],
    ["codedb_callers", { name: "add_item" }, "src/main.rs"],
    ["codedb_outline", { path: "src/cart.rs" }, "add_item"],
    ["codedb_read", { path: "src/cart.rs" }, "pub fn add_item"],
    ["codedb_find", { query: "cart" }, "src/cart.rs"],
    ["codedb_tree", {}, "cart.rs"],
    ["codedb_status", {}, "files"],
    ["codedb_word", { word: "add_item" }, "src/main.rs"],
  ];
  const answers = await Promise.all(calls.map(([name, args]) => call(name, args)));
  answers.forEach((answer, at) => {
    assert.ok(!answer.isError && answer.content[0].text.includes(calls[at][2]), JSON.stringify(answer));
  });
  const data = await call("codedb_find", { query: "cart", format: "json" });
  assert.equal(data.structuredContent.files[0].path, "src/cart.rs");
  for (const [name, args] of [
    ["codedb_find", {}],
    ["codedb_read", { path: ".env" }],
    ["codedb_read", { path: "../outside" }],
  ]) {
    const answer = await call(name, args);
    assert.ok(answer.isError && !answer.content[0].text.includes("KEY=1"), JSON.stringify(answer));
  }
  await assert.rejects(call("codedb_none", {}), (error) => error.code === -32602);
  const cancelled = new AbortController();
  const never = call("codedb_search", { query: "a", regex: true }, { signal: cancelled.signal });
  cancelled.abort();
  await assert.rejects(never);
  assert.equal((await call("codedb_find", { query: "cart" })).content[0].text, "src/cart.rs\n");
  await client.close();
}

const env = { ...process.env, CODEDB_BACKGROUND: "0" };
await session(new StdioClientTransport({ command: codedb, args: ["mcp", ...place], env }));
console.log("typescript, stdio: ok");
const server = spawn(codedb, ["serve", "--listen", "127.0.0.1:0", ...place], {
  env,
  stdio: ["ignore", "pipe", "inherit"],
});
try {
  const line = await new Promise((reported) => createInterface({ input: server.stdout }).once("line", reported));
  await session(new StreamableHTTPClientTransport(new URL(line.split(" ").at(-1))));
  console.log("typescript, http: ok");
} finally {
  server.kill();
  rmSync(directory, { recursive: true, force: true });
}
