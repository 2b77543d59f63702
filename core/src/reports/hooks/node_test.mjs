// A reporter of Node's own test runner: one line of JSON for each test, for `codedb run`.
export default async function* (events) {
  yield JSON.stringify({begin: 'node:test'}) + '\n';
  const suites = new Map();
  for await (const {type, data} of events) {
    if (type === 'test:start') {
      const names = suites.get(data.file) || [];
      names.length = data.nesting;
      names[data.nesting] = data.name;
      suites.set(data.file, names);
    }
    if (type !== 'test:pass' && type !== 'test:fail') continue;
    const details = data.details || {};
    if (details.type === 'suite') continue;
    const names = (suites.get(data.file) || []).slice(0, data.nesting);
    const isTodo = data.todo !== undefined && data.todo !== false;
    const isSkipped = (data.skip !== undefined && data.skip !== false) || isTodo;
    const outcome = isSkipped ? 'skipped' : type === 'test:pass' ? 'passed' : 'failed';
    yield JSON.stringify({
      file: data.file || null,
      name: [...names, data.name].join(' > '),
      outcome,
      ms: details.duration_ms === undefined ? null : details.duration_ms,
    }) + '\n';
  }
  yield JSON.stringify({end: true}) + '\n';
}
