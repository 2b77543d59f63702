// Records the result of each test of Jest, Vitest and mocha for `codedb run`; prints nothing.
'use strict';
(() => {
  const reports = process.env.CODEDB_REPORT_DIR;
  const main = process.argv[1] || '';
  if (!reports || !require('worker_threads').isMainThread || /jest-worker|processChild|workerpool/.test(main)) {
    return;
  }
  const fs = require('fs');
  const path = require('path');
  const Module = require('module');
  let log;
  const write = (runner, line) => {
    try {
      if (log === undefined) {
        log = fs.openSync(path.join(reports, `${runner}-${process.pid}.jsonl`), 'a', 0o600);
        fs.writeSync(log, JSON.stringify({begin: runner}) + '\n');
      }
      fs.writeSync(log, JSON.stringify(line) + '\n');
    } catch {
      // Without a report, nothing is recorded.
    }
  };
  const record = (runner, file, titles, outcome, ms, attempt) =>
    write(runner, {file, name: titles.join(' > '), outcome, ms, attempt});

  const jest = results => {
    const outcomes = {passed: 'passed', failed: 'failed', pending: 'skipped', todo: 'skipped',
      skipped: 'skipped', disabled: 'skipped'};
    for (const suite of results.testResults) {
      const file = suite.testFilePath;
      for (const test of suite.testResults) {
        const outcome = outcomes[test.status];
        if (!outcome) continue;
        const retries = Math.max((test.invocations || 1) - 1, 0);
        const titles = [...test.ancestorTitles, test.title];
        for (let at = 0; at < retries; at++) {
          record('jest', file, titles, 'failed', null, at);
        }
        record('jest', file, titles, outcome, test.duration, retries || undefined);
      }
      if (suite.testExecError || (suite.failureMessage && suite.testResults.length === 0)) {
        write('jest', {problem: `cannot run ${file}`});
      }
    }
    if (results.wasInterrupted) write('jest', {problem: 'interrupted'});
    write('jest', {end: true});
  };

  const mocha = runner => {
    const titles = of => (of.titlePath ? of.titlePath() : [of.fullTitle ? of.fullTitle() : of.title]);
    const fileOf = of => of.file || (of.parent && fileOf(of.parent)) || null;
    const retry = of => (typeof of.currentRetry === 'function' ? of.currentRetry() : of._currentRetry);
    const note = outcome => of =>
      record('mocha', fileOf(of), titles(of), of.type === 'hook' ? 'error' : outcome,
        of.duration, retry(of) || undefined);
    runner.once('start', () => write('mocha', {seen: true}));
    runner.on('pass', note('passed'));
    runner.on('fail', note('failed'));
    runner.on('pending', note('skipped'));
    runner.on('retry', of => record('mocha', fileOf(of), titles(of), 'failed', of.duration, retry(of)));
    runner.once('end', () => write('mocha', {end: true}));
  };

  const load = Module._load;
  Module._load = function (request, parent, isMain) {
    const loaded = load.apply(this, arguments);
    if (request === '@jest/core' && loaded && typeof loaded.runCLI === 'function') {
      const runCLI = async (...args) => {
        const done = await loaded.runCLI(...args);
        try {
          jest(done.results);
        } catch {
          write('jest', {problem: 'the results have an unknown format'});
        }
        return done;
      };
      return Object.create(loaded, {runCLI: {value: runCLI, enumerable: true}});
    }
    if (/^\.\/stats-collector(\.c?js)?$/.test(request)) {
      const wrapped = collect => runner => {
        mocha(runner);
        return collect(runner);
      };
      if (typeof loaded === 'function') return wrapped(loaded);
      if (loaded && typeof loaded.createStatsCollector === 'function') {
        return {...loaded, createStatsCollector: wrapped(loaded.createStatsCollector)};
      }
    }
    return loaded;
  };

  if (!/vitest/.test(main) || typeof Module.register !== 'function') return;
  const written = new Set();
  const states = {passed: 'passed', failed: 'failed', skipped: 'skipped'};
  const vitest = {
    test(test, file) {
      const result = test.result();
      const state = states[result && result.state];
      if (!state || written.has(test.id)) return;
      written.add(test.id);
      const titles = [];
      for (let of = test; of && of.type !== 'module'; of = of.parent) titles.unshift(of.name);
      const diagnostic = test.diagnostic() || {};
      const retries = diagnostic.retryCount || 0;
      for (let at = 0; at < retries; at++) record('vitest', file, titles, 'failed', null, at);
      const ms = diagnostic.duration;
      record('vitest', file, titles, state, ms === undefined ? null : ms, retries || undefined);
    },
    onTestRunStart() {
      written.clear();
    },
    onTestCaseResult(test) {
      vitest.test(test, test.module.moduleId);
    },
    onTestRunEnd(modules, errors, reason) {
      for (const module of modules) {
        for (const test of module.children.allTests()) vitest.test(test, module.moduleId);
        if (module.errors && module.errors().length) {
          write('vitest', {problem: `cannot run ${module.moduleId}`});
        }
      }
      if (reason === 'interrupted') write('vitest', {problem: 'interrupted'});
      write('vitest', {end: true});
    },
    // Before version 3.
    onFinished(files, errors) {
      if (written.size) return;
      const walk = (task, titles, file) => {
        const names = [...titles, task.name];
        if (task.type === 'suite') return task.tasks.forEach(of => walk(of, names, file));
        const result = task.result || {};
        const state = {pass: 'passed', fail: 'failed'}[result.state] || 'skipped';
        record('vitest', file, names, state, result.duration === undefined ? null : result.duration);
      };
      for (const file of files || []) {
        file.tasks.forEach(task => walk(task, [], file.filepath));
        if (file.tasks.length === 0 && file.result && file.result.state === 'fail') {
          write('vitest', {problem: `cannot run ${file.filepath}`});
        }
      }
      write('vitest', {end: true});
    },
  };
  const isNew = () => {
    try {
      const from = Module.createRequire(fs.realpathSync(main));
      return parseInt(from('vitest/package.json').version, 10) >= 3;
    } catch {
      return true;
    }
  };
  if (isNew()) delete vitest.onFinished;
  globalThis[Symbol.for('codedb.vitest')] = vitest;
  // The reporters of the settings stay; this one is added behind them.
  const hook = `export async function load(url, context, next) {
    const loaded = await next(url, context);
    if (/\\/vitest\\/dist\\/.*\\.js$/.test(url) && loaded.source) {
      const before = 'createReporters(resolved.reporters, this)';
      const after = "createReporters([...resolved.reporters, globalThis[Symbol.for('codedb.vitest')]], this)";
      const source = Buffer.from(loaded.source).toString();
      if (source.includes(before)) return {...loaded, source: source.replace(before, after)};
    }
    return loaded;
  }`;
  Module.register('data:text/javascript,' + encodeURIComponent(hook));
})();
