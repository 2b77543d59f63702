// Measures the latency of `codedb mcp` with the official TypeScript SDK: `node latency.mjs CODEDB FLOOR TREE
// [INDEX]`. Node looks for modules in the directory of this file: copy the file to the directory in which the
// modules of tests/clients/package.json are installed, or link `node_modules`. The rows, the sampled names and
// the floor are those of latency.py: the median round trip of each tool and its difference from the floor.

import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";

import { Client } from "@modelcontextprotocol/sdk/client/index.js";
import { StdioClientTransport } from "@modelcontextprotocol/sdk/client/stdio.js";

const [codedb, floor, tree] = process.argv.slice(2, 5).map((path) => resolve(path));
const directory = mkdtempSync(join(tmpdir(), "codedb-latency-"));
const index = process.argv[5] ? resolve(process.argv[5]) : directory;
const ROUNDS = 200;
const TURN = 20;
// The number of files whose names are queried, and the maximum number of files that contain a selective name.
const SAMPLE = 150;
const SELECTIVE = 20;
const place = ["--root", tree, "--index-dir", index];

/** Samples names and paths of the tree with a fixed step. */
function sample() {
  const listed = execFileSync(codedb, ["search", "--files", "--no-index"], { cwd: tree, maxBuffer: 1 << 28 });
  const ends = [".js", ".ts", ".c", ".rs", ".py", ".go"];
  const sources = listed.toString().split("\n").filter((path) => ends.some((end) => path.endsWith(end)));
  const step = Math.max(1, Math.floor(sources.length / SAMPLE));
  const [names, paths] = [[], []];
  for (let at = 0; at < sources.length; at += step) {
    let outline = "{}";
    try {
      const args = ["outline", sources[at], "--json", ...place];
      outline = execFileSync(codedb, args, { stdio: ["ignore", "pipe", "ignore"] }).toString();
    } catch {
      // A file without definitions.
    }
    const symbols = JSON.parse(outline || "{}").symbols ?? [];
    const named = symbols.map((symbol) => symbol.name).find((name) => /^[A-Za-z_]\w{4,}$/.test(name));
    if (named) {
      paths.push(sources[at]);
      names.push(named);
    }
  }
  return [names, paths];
}

async function connected(command, args) {
  const client = new Client({ name: "latency", version: "1" });
  await client.connect(new StdioClientTransport({ command, args, stderr: "ignore" }));
  return client;
}

function percentile(times, part) {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor((sorted.length * part) / 100))];
}

/** Returns the milliseconds of each round, numbered from `start`, after two warm-up rounds. */
async function timed(call, rounds, start) {
  const times = [];
  for (let round = -2; round < rounds; round++) {
    const began = performance.now();
    await call(start + Math.max(round, 0));
    if (round >= 0) times.push(performance.now() - began);
  }
  return times;
}

try {
  execFileSync(codedb, ["index", tree, "--index-dir", index], { stdio: "ignore" });
  const [names, paths] = sample();
  const client = await connected(codedb, ["mcp", ...place, "--toolsets", "all"]);
  const constant = await connected(floor, ["--serve"]);
  // Waits until the index is complete.
  await client.callTool({ name: "codedb_symbol", arguments: { name: names[0] } });
  console.log("| what | median | 95 % | above the floor |\n| --- | --- | --- | --- |");

  async function measure(what, name, argumentsOf) {
    const [sizes, floors, times] = [[], [], []];
    const call = async (at) => {
      const answer = await client.callTool({ name, arguments: argumentsOf(at) });
      if (answer.isError) throw new Error(JSON.stringify(answer));
      sizes.push(answer.content[0].text.length);
    };
    const callFloor = async () => {
      await constant.callTool({ name: "constant", arguments: { bytes: Math.floor(percentile(sizes, 50)) } });
    };
    // Alternates between the servers, so that other load on the machine affects both equally.
    for (let start = 0; start < (name === "codedb_context" ? 60 : ROUNDS); start += TURN) {
      times.push(...(await timed(call, TURN, start)));
      floors.push(...(await timed(callFloor, TURN, start)));
    }
    const middle = percentile(times, 50);
    const above = Math.round((middle - percentile(floors, 50)) * 1e3);
    console.log(`| ${what} | ${middle.toFixed(2)} ms | ${percentile(times, 95).toFixed(2)} ms | ${above} µs |`);
  }

  const name = (at) => names[at % names.length];
  const path = (at) => paths[at % paths.length];
  for (const [tool, argumentsOf] of [
    ["codedb_symbol", (at) => ({ name: name(at) })],
    ["codedb_word", (at) => ({ word: name(at) })],
    ["codedb_deps", (at) => ({ path: path(at) })],
    ["codedb_outline", (at) => ({ path: path(at) })],
    ["codedb_find", (at) => ({ query: basename(path(at)) })],
    ["codedb_ls", (at) => ({ path: dirname(path(at)) })],
    ["codedb_read", (at) => ({ path: path(at), line_end: 40 })],
    ["codedb_status", () => ({})],
    ["codedb_search", (at) => ({ query: name(at) })],
    ["codedb_context", (at) => ({ task: `fix ${name(at)} in ${path(at)}` })],
  ]) {
    await measure(tool, tool, argumentsOf);
  }
  const selective = [];
  for (const query of names) {
    const answer = await client.callTool({ name: "codedb_search", arguments: { query, format: "json" } });
    if (answer.structuredContent.files_total <= SELECTIVE) selective.push(query);
  }
  const what = `codedb_search, ${selective.length} selective names`;
  await measure(what, "codedb_search", (at) => ({ query: selective[at % selective.length] }));
  await client.close();
  await constant.close();
} finally {
  rmSync(directory, { recursive: true, force: true });
}
