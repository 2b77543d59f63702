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

  // Coverage of one test at a time: the lines that ran since the last call.
  const measure = () => {
    const directory = process.env.CODEDB_REPORT_COVERAGE;
    const root = process.env.CODEDB_REPORT_ROOT || process.cwd();
    if (!directory) return () => {};
    const url = require('url');
    const session = new (require('inspector').Session)();
    session.connect();
    session.post('Profiler.enable');
    session.post('Profiler.startPreciseCoverage', {callCount: true, detailed: true});
    const out = path.join(directory, `mocha-${process.pid}.info`);
    const texts = new Map();
    const starts = file => {
      if (!texts.has(file)) {
        let text = '';
        try {
          text = fs.readFileSync(file, 'utf8');
        } catch {
          // It is not a file.
        }
        const lines = [0];
        for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) lines.push(at + 1);
        texts.set(file, {length: text.length, lines});
      }
      return texts.get(file);
    };
    const lineAt = (lines, offset) => {
      let [low, high] = [0, lines.length - 1];
      while (low < high) {
        const middle = (low + high + 1) >> 1;
        if (lines[middle] <= offset) low = middle;
        else high = middle - 1;
      }
      return low;
    };
    return name => {
      session.post('Profiler.takePreciseCoverage', (error, taken) => {
        if (error || !name) return;
        let text = '';
        for (const script of taken.result) {
          if (!script.url.startsWith('file://') || script.url.includes('/node_modules/')) continue;
          const file = url.fileURLToPath(script.url);
          const {length, lines} = starts(file);
          // A transformed text has other lines.
          const isSame = script.functions.some(of => of.functionName === '' && of.ranges[0].endOffset === length) ||
            script.functions.every(of => of.functionName !== '');
          if (!isSame || !file.startsWith(root)) continue;
          const ran = new Map();
          for (const of of script.functions) {
            const whole = of.ranges[0];
            if (of.functionName === '' && whole.startOffset === 0 && whole.endOffset === length) continue;
            for (const {startOffset, endOffset, count} of of.ranges) {
              const last = lineAt(lines, Math.max(endOffset - 1, startOffset));
              for (let line = lineAt(lines, startOffset); line <= last; line++) ran.set(line + 1, count);
            }
          }
          const covered = [...ran].filter(([, count]) => count > 0);
          if (covered.length === 0) continue;
          text += `TN:${name}\nSF:${file}\n`;
          for (const [line, count] of covered) text += `DA:${line},${count}\n`;
          text += 'end_of_record\n';
        }
        if (text) fs.appendFileSync(out, text);
      });
    };
  };

  const mocha = runner => {
    const titles = of => (of.titlePath ? of.titlePath() : [of.fullTitle ? of.fullTitle() : of.title]);
    const fileOf = of => of.file || (of.parent && fileOf(of.parent)) || null;
    const retry = of => (typeof of.currentRetry === 'function' ? of.currentRetry() : of._currentRetry);
    const note = outcome => of =>
      record('mocha', fileOf(of), titles(of), of.type === 'hook' ? 'error' : outcome,
        of.duration, retry(of) || undefined);
    let take = () => {};
    try {
      take = measure();
    } catch {
      // Without coverage.
    }
    const idOf = of => path.relative(process.env.CODEDB_REPORT_ROOT || process.cwd(), fileOf(of) || '')
      .split(path.sep).join('/') + '::' + titles(of).join(' > ').replace(/[\r\n]/g, ' ');
    runner.once('start', () => write('mocha', {seen: true}));
    runner.on('test', () => take(null));
    runner.on('test end', of => take(idOf(of)));
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
