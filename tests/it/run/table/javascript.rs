//! Jest, Vitest, mocha, node:test and Playwright.

use super::{Project, check};

/// Functions and the module with which tests note their names.
const SOURCE: &str = r##"
//- shop.js
exports.alpha = function alpha(x) { return x; };
exports.beta = function beta() { return 1; };
exports.gamma = function gamma() { return 1; };
exports.delta = function delta() { return 1; };
//- ran.js
exports.ran = name => require('fs').appendFileSync(process.env.RAN_FILE, name + '\n');
"##;

/// Tests whose titles have quotes, brackets, Unicode and the same start.
const TESTS: &str = r##"
const shop = require('SHOP');
const {ran} = require('RAN');
describe('the "shop" [a|b]', () => {
  describe('größe (cm)', () => {
    it('it\'s $5.00 + `tax`? 100 %', () => { ran('beta'); shop.beta(); });
    it('it\'s $5.00 + `tax`? 100 % off', () => { ran('beta off'); });
  });
  it('alpha', () => { ran('alpha'); shop.alpha(1); });
  it('alpha two', () => { ran('alpha two'); });
});
it('alpha', () => { ran('top alpha'); });
"##;

const CASES: super::Cases<'_> = &[
    ("alpha", &["alpha"]),
    ("beta", &["beta"]),
    ("gamma", &["gamma 1", "gamma 2"]),
    ("delta", &["delta"]),
];

/// Returns a project of which the tests are in a directory with brackets, and in one without.
fn project(manifest: &str, head: &str, extension: &str, each: &str) -> String {
    let tests = |above: &str| {
        TESTS.replace("SHOP", &format!("{above}shop.js")).replace("RAN", &format!("{above}ran.js"))
    };
    let more = |text: &str| text.replace("SHOP", "../../shop.js").replace("RAN", "../../ran.js");
    let route = more(
        "const shop = require('SHOP');\nconst {ran} = require('RAN');\n\
         it('delta', () => { ran('delta'); shop.delta(); });\n\
         it('delta of nothing', () => { ran('delta of nothing'); });\n",
    );
    format!(
        "//- package.json\n{manifest}\n{SOURCE}//- test/shop.{extension}\n{head}{}{}\
         //- test/[id] x/route.{extension}\n{head}{route}",
        tests("../"),
        each,
    )
}

const EACH: &str = "it.each([1, 2])('gamma %i', x => { ran('gamma ' + x); shop.gamma(); });\n\
                    it('gamma', () => { ran('gamma'); });\n";

const LOOP: &str = "for (const x of [1, 2]) it(`gamma ${x}`, () => { ran('gamma ' + x); shop.gamma(); });\n\
                    it('gamma', () => { ran('gamma'); });\n";

#[test]
fn jest() {
    let files = project(r#"{"scripts": {"test": "jest"}}"#, "", "test.js", EACH);
    let programs = &["jest", "npm"];
    check(&Project { programs, source: "shop.js", prepare: &[], files: &files, cases: CASES });
}

#[test]
fn vitest() {
    let head = "import {it, describe} from 'vitest';\nimport {createRequire} from 'module';\n\
                const require = createRequire(import.meta.url);\n";
    let files = project(r#"{"scripts": {"test": "vitest"}}"#, head, "test.js", EACH);
    let programs = &["vitest", "npm"];
    check(&Project { programs, source: "shop.js", prepare: &[], files: &files, cases: CASES });
}

#[test]
fn mocha() {
    let manifest = r#"{"scripts": {"test": "mocha --exit 'test/**/*.spec.js'"}}"#;
    let files = project(manifest, "", "spec.js", LOOP);
    let programs = &["mocha", "npm"];
    check(&Project { programs, source: "shop.js", prepare: &[], files: &files, cases: CASES });
}

#[test]
fn node_test() {
    let head = "const {it, describe} = require('node:test');\n";
    let files = project(r#"{"scripts": {"test": "node --test"}}"#, head, "test.js", LOOP);
    // Before version 22, a test is selected by its title alone.
    let files = files.replace("it('alpha', () => { ran('top", "it('top', () => { ran('top");
    let programs = &["node", "npm"];
    check(&Project { programs, source: "shop.js", prepare: &[], files: &files, cases: CASES });
}

#[test]
fn playwright() {
    let manifest = r#"{"scripts": {"test": "playwright test"}}"#;
    let head =
        "const {test} = require('@playwright/test');\nconst it = test, describe = test.describe;\n";
    let files = project(manifest, head, "spec.js", LOOP);
    let programs = &["playwright", "npm"];
    check(&Project { programs, source: "shop.js", prepare: &[], files: &files, cases: CASES });
}
