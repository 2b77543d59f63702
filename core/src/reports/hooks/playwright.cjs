// A further reporter of Playwright: one line of JSON for each attempt of a test, for `codedb run`.
'use strict';
const fs = require('fs');
const path = require('path');
const reports = process.env.CODEDB_REPORT_DIR;
let log;
const write = line => {
  if (!reports) return;
  try {
    if (log === undefined) {
      log = fs.openSync(path.join(reports, `playwright-${process.pid}.jsonl`), 'a', 0o600);
      fs.writeSync(log, JSON.stringify({begin: 'playwright'}) + '\n');
    }
    fs.writeSync(log, JSON.stringify(line) + '\n');
  } catch {
    // Without a report, nothing is recorded.
  }
};
module.exports = class {
  printsToStdio() {
    return false;
  }
  onBegin() {
    write({seen: true});
  }
  onTestEnd(test, result) {
    const states = {passed: 'passed', failed: 'failed', timedOut: 'failed', skipped: 'skipped'};
    const isExpected = result.status === test.expectedStatus && result.status !== 'skipped';
    write({
      file: test.location.file,
      // The root, the project and the file come first.
      name: test.titlePath().slice(3).join(' > '),
      outcome: isExpected ? 'passed' : states[result.status] || 'error',
      ms: result.duration,
      attempt: result.retry || undefined,
    });
  }
  onEnd(result) {
    if (result && result.status === 'interrupted') write({problem: 'interrupted'});
    write({end: true});
  }
};
