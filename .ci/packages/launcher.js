#!/usr/bin/env node
// Starts the program of the package for this platform, one of the optional dependencies of `codedb`.
//
// Where Node can (22.15 and later, not on Windows), this process becomes the program. Elsewhere it waits for it
// and passes on signals and the exit code; standard streams are inherited.
"use strict";

const { spawn } = require("node:child_process");
const { constants } = require("node:os");
const fs = require("node:fs");
const path = require("node:path");

const SCOPE = "@codedb";

// The program for glibc runs only where its dynamic linker is.
const GLIBC_LINKERS = { x64: "/lib64/ld-linux-x86-64.so.2", arm64: "/lib/ld-linux-aarch64.so.1" };

/** Returns the path of the program, or undefined if no package for this platform is installed. */
function findProgram() {
  const name = `${SCOPE}/${process.platform}-${process.arch}`;
  const packages = [];
  if (process.platform !== "linux" || fs.existsSync(GLIBC_LINKERS[process.arch] ?? "")) packages.push(name);
  if (process.platform === "linux") packages.push(`${name}-musl`);
  const program = process.platform === "win32" ? "codedb.exe" : "codedb";
  for (const candidate of packages) {
    try {
      return require.resolve(`${candidate}/bin/${program}`);
    } catch {
      // Not installed.
    }
  }
  return undefined;
}

/** Returns the environment of the program: how it was started, from which `codedb init` decides what to register. */
function environment() {
  // npx, `pnpm dlx`, `yarn dlx` and bunx install into a temporary place.
  const isTemporary = /[\\/](_npx|dlx|dlx-[^\\/]*|bunx-[^\\/]*)[\\/]/.test(__filename);
  return { ...process.env, CODEDB_LAUNCHER: __filename, CODEDB_LAUNCHED_BY: isTemporary ? "npx" : "npm" };
}

/** Returns true if `execve`, which ends this process if it fails, can start the program. */
function isExecutable(program) {
  try {
    fs.accessSync(program, fs.constants.X_OK);
    return process.platform !== "win32";
  } catch {
    return false;
  }
}

/** Runs the program as a child process and ends as it ends. */
function run(program, args, env) {
  const isTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY;
  // Before the program starts, so that no signal is lost; the handlers run when `child` has its value.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT"]) {
    process.on(signal, () => {
      // A terminal sends Ctrl-C and Ctrl-\ to the program, too.
      if (!(isTerminal && (signal === "SIGINT" || signal === "SIGQUIT"))) child.kill(signal);
    });
  }
  const child = spawn(program, args, { stdio: "inherit", env, windowsHide: true });
  child.on("error", (error) => fail(`cannot start \`${program}\`: ${error.message}`));
  child.on("exit", (code, signal) => {
    if (signal === null) process.exit(code);
    // Ends by the same signal, so that a shell sees it. A signal that does not end this process is a code.
    process.removeAllListeners(signal);
    process.kill(process.pid, signal);
    setTimeout(() => process.exit(128 + (constants.signals[signal] ?? 0)), 100);
  });
}

function fail(message) {
  process.stderr.write(`codedb: ${message}\n`);
  process.exit(2);
}

const program = findProgram();
const args = process.argv.slice(2);
if (program === undefined) {
  const platform = `${process.platform}-${process.arch}`;
  fail(
    `no program for ${platform} is installed: this platform has no package \`${SCOPE}/${platform}\`, or optional ` +
      "dependencies were omitted; reinstall with `npm install --include=optional codedb`, or build it with " +
      "`cargo install --locked codedb`",
  );
} else if (typeof process.execve === "function" && isExecutable(program)) {
  process.execve(program, [program, ...args], environment());
} else {
  run(program, args, environment());
}
