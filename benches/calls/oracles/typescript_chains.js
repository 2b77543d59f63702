// Lists the calls of a tree's functions with the number of re-exports between call and definition.
//
// Run with the package `typescript` below 6 in NODE_PATH, in the root of the tree:
// node typescript_chains.js [TSCONFIG] > calls
// Options and `paths` come from TSCONFIG; names of the tree's own packages (`package.json`) lead to their sources.
// Answers are lines `PATH TAB BYTE TAB DEFINING_PATH TAB LINE TAB NAME TAB HOPS`: the call's name starts at BYTE, a
// declaration of the function stands at LINE, from 0, and HOPS statements re-export the name, without the import in
// the calling file. A function with several declarations has a line for each.
//
// The oracle is the type checker: it resolves each call, and each chain must end at the same symbol.
'use strict';
const ts = require('typescript');
const fs = require('fs');
const path = require('path');

const root = process.cwd();
const skipped = new Set(['node_modules', '.git', 'dist', 'build', 'lib.commonjs', 'lib.esm']);

function* walk(directory) {
  const entries = fs.readdirSync(directory, { withFileTypes: true });
  for (const entry of entries.sort((a, b) => (a.name < b.name ? -1 : 1))) {
    const full = path.join(directory, entry.name);
    if (entry.isDirectory() && !skipped.has(entry.name)) yield* walk(full);
    else if (entry.isFile()) yield full;
  }
}

/** Returns `paths` from the names of the tree's packages to their sources. */
function packagePaths(files) {
  const found = {};
  for (const file of files.filter((file) => path.basename(file) === 'package.json')) {
    let name;
    try {
      name = JSON.parse(fs.readFileSync(file, 'utf8')).name;
    } catch {
      continue;
    }
    const below = path.dirname(file);
    const entry = ['src/index.ts', 'src/index.tsx', 'src/main.ts', 'index.ts', 'src.ts/index.ts'];
    const source = entry.map((it) => path.join(below, it)).find((it) => fs.existsSync(it));
    if (!name || !source || found[name]) continue;
    found[name] = [source];
    found[`${name}/*`] = [path.join(below, 'src', '*'), path.join(below, '*')];
  }
  return found;
}

function options(files, config) {
  let own = {};
  if (config) {
    const read = ts.readConfigFile(config, ts.sys.readFile);
    own = ts.parseJsonConfigFileContent(read.config, ts.sys, path.dirname(path.resolve(config))).options;
  }
  const bases = { baseUrl: own.pathsBasePath ?? own.baseUrl ?? root };
  const configured = Object.fromEntries(
    Object.entries(own.paths ?? {}).map(([name, to]) => [name, to.map((it) => path.resolve(bases.baseUrl, it))]),
  );
  return {
    target: ts.ScriptTarget.ES2022,
    module: ts.ModuleKind.ESNext,
    moduleResolution: ts.ModuleResolutionKind.Bundler,
    jsx: own.jsx ?? ts.JsxEmit.Preserve,
    experimentalDecorators: true,
    allowImportingTsExtensions: true,
    noEmit: true,
    types: [],
    customConditions: own.customConditions,
    paths: { ...packagePaths(files), ...configured },
  };
}

const files = [...walk(root)];
const sources = files.filter((file) => /\.tsx?$/.test(file) && !file.endsWith('.d.ts'));
const program = ts.createProgram(sources, options(files, process.argv[2]));
const checker = program.getTypeChecker();

const isAlias = (symbol) => (symbol.flags & ts.SymbolFlags.Alias) !== 0;
const isModule = (symbol) => (symbol.flags & ts.SymbolFlags.ValueModule) !== 0;

function moduleOf(specifier) {
  const symbol = specifier && checker.getSymbolAtLocation(specifier);
  return symbol && isModule(symbol) ? symbol : undefined;
}

/** Follows `name` of a module to its symbol; returns it with the number of statements that re-export it. */
function fromModule(module, name, hops, seen) {
  if (hops > 64 || seen.has(`${module.name} ${name}`)) return undefined;
  seen.add(`${module.name} ${name}`);
  const own = module.exports?.get(ts.escapeLeadingUnderscores(name));
  if (own) return follow(own, hops, seen);
  for (const star of module.exports?.get(ts.InternalSymbolName.ExportStar)?.declarations ?? []) {
    const target = moduleOf(star.moduleSpecifier);
    if (target && checker.getExportsOfModule(target).some((it) => it.name === name)) {
      const found = fromModule(target, name, hops + 1, seen);
      if (found) return found;
    }
  }
  return undefined;
}

/** Follows an alias that a statement of a module declares. `hops` counts the statements before it. */
function follow(symbol, hops, seen = new Set()) {
  if (!isAlias(symbol)) return { symbol, hops };
  const node = symbol.declarations?.[0];
  if (!node) return undefined;
  if (ts.isExportSpecifier(node)) {
    const name = (node.propertyName ?? node.name).text;
    const specifier = node.parent.parent.moduleSpecifier;
    if (specifier) {
      const module = moduleOf(specifier);
      return module && fromModule(module, name, hops + 1, seen);
    }
    // `export { name }` of something that is defined or imported here: the import is the re-export.
    const local = checker.getExportSpecifierLocalTargetSymbol(node);
    return local && follow(local, hops, seen);
  }
  if (ts.isImportSpecifier(node)) {
    const module = moduleOf(node.parent.parent.parent.moduleSpecifier);
    return module && fromModule(module, (node.propertyName ?? node.name).text, hops + 1, seen);
  }
  if (ts.isImportClause(node)) {
    const module = moduleOf(node.parent.moduleSpecifier);
    return module && fromModule(module, 'default', hops + 1, seen);
  }
  if (ts.isNamespaceImport(node)) {
    const module = moduleOf(node.parent.parent.moduleSpecifier);
    return module && { symbol: module, hops: hops + 1 };
  }
  if (ts.isNamespaceExport(node)) {
    const module = moduleOf(node.parent.moduleSpecifier);
    return module && { symbol: module, hops: hops + 1 };
  }
  if (ts.isExportAssignment(node) && ts.isIdentifier(node.expression)) {
    const local = checker.getSymbolAtLocation(node.expression);
    return local && follow(local, hops, seen);
  }
  return undefined;
}

/** Follows a name or `namespace.name` of an expression. The import in the calling file is hop 0. */
function ofExpression(node) {
  if (ts.isIdentifier(node)) {
    const symbol = checker.getSymbolAtLocation(node);
    return symbol && follow(symbol, isAlias(symbol) ? -1 : 0);
  }
  if (ts.isPropertyAccessExpression(node)) {
    const base = ofExpression(node.expression);
    return base && isModule(base.symbol) ? fromModule(base.symbol, node.name.text, base.hops, new Set()) : undefined;
  }
  return undefined;
}

const isFunction = (node) =>
  (ts.isFunctionDeclaration(node) && node.name) ||
  (ts.isVariableDeclaration(node) &&
    ts.isIdentifier(node.name) &&
    node.initializer &&
    (ts.isArrowFunction(node.initializer) || ts.isFunctionExpression(node.initializer)) &&
    ts.isSourceFile(node.parent.parent.parent));

const relative = (source) => path.relative(root, source.fileName).split(path.sep).join('/');

for (const source of program.getSourceFiles()) {
  if (source.isDeclarationFile || source.fileName.includes('/node_modules/')) continue;
  let bytes = 0;
  let position = 0;
  const found = [];
  const visit = (node) => {
    const called = ts.isCallExpression(node)
      ? node.expression
      : ts.isTaggedTemplateExpression(node)
        ? node.tag
        : undefined;
    const name = called && (ts.isPropertyAccessExpression(called) ? called.name : called);
    if (name && ts.isIdentifier(name)) {
      const end = ofExpression(called);
      let symbol = checker.getSymbolAtLocation(name);
      if (symbol && isAlias(symbol)) symbol = checker.getAliasedSymbol(symbol);
      if (end && end.symbol === symbol) {
        const all = (symbol.declarations ?? []).filter(isFunction);
        for (const one of all) found.push([name.getStart(source), one, Math.max(end.hops, 0)]);
      }
    }
    ts.forEachChild(node, visit);
  };
  visit(source);
  found.sort((a, b) => a[0] - b[0]);
  for (const [start, declaration, hops] of found) {
    bytes += Buffer.byteLength(source.text.slice(position, start));
    position = start;
    const there = declaration.getSourceFile();
    const line = there.getLineAndCharacterOfPosition(declaration.name.getStart(there)).line;
    const row = [relative(source), bytes, relative(there), line, declaration.name.text, hops];
    process.stdout.write(row.join('\t') + '\n');
  }
}
