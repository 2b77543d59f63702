//! One small suite for each runner, with every outcome that the runner knows.

use std::path::PathBuf;
use std::process::Command;

use super::{check, node_modules, program, run};
use crate::support::place::{Answer, Place};
use crate::support::process::output;
use crate::support::skipped;

#[test]
fn pytest() {
    if program("pytest").is_none() {
        return;
    }
    let place = Place::new();
    place.write(
        "tests/test_a.py",
        r#"
import pytest
@pytest.mark.parametrize("x", ["a::b", "c"])
def test_p(x): assert x == "c"
@pytest.mark.skip
def test_s(): pass
@pytest.mark.xfail
def test_x(): assert 0
@pytest.fixture
def bad(): raise ValueError
def test_e(bad): pass
class TestC:
    def test_m(self): pass
"#,
    );
    let expected = [
        "error tests/test_a.py::test_e",
        "failed tests/test_a.py::test_p[a::b]",
        "passed tests/test_a.py::TestC::test_m",
        "passed tests/test_a.py::test_p[c]",
        "passed tests/test_a.py::test_x",
        "skipped tests/test_a.py::test_s",
    ];
    let options = ["-p", "no:cacheprovider", "-q"];
    let args = [&["--", "pytest"], &options[..]].concat();
    assert_eq!(check(&place, &args, "pytest", "complete", &expected).code, 1);
    let none = [&args[..], &["-k", "nothing"]].concat();
    assert_eq!(check(&place, &none, "pytest", "no_tests", &[]).code, 5);
    place.write("tests/test_b.py", "def test_dies():\n    import os\n    os._exit(3)\n");
    let dies = [&["--", "pytest"], &options[..], &["tests/test_b.py"]].concat();
    assert_eq!(check(&place, &dies, "pytest", "partial", &[]).code, 3);
    place.write("tests/test_b.py", "def test_b(:\n");
    let broken = [&["--", "pytest"], &options[..], &["tests/test_b.py"]].concat();
    assert_eq!(check(&place, &broken, "pytest", "partial", &[]).code, 2);
    // The header lists the plugins.
    let header = |answer: Answer| answer.text().lines().take(5).collect::<Vec<_>>().join("\n");
    let mut plain = place.command("pytest");
    plain.env("PATH", super::search_path()).args(&options[..2]).arg("tests/test_a.py");
    let plain = header(Answer::of(plain));
    let args = ["--", "pytest", "-p", "no:cacheprovider", "tests/test_a.py"];
    assert_eq!(header(run(&place, &args)), plain);
}

#[test]
fn unittest() {
    if program("python3").is_none() {
        return;
    }
    let place = Place::new();
    place.write(
        "test_u.py",
        r#"
import unittest
class U(unittest.TestCase):
    def test_ok(self): pass
    def test_bad(self): self.assertEqual(1, 2)
    def test_error(self): raise ValueError
    @unittest.skip("x")
    def test_skip(self): pass
    @unittest.expectedFailure
    def test_expected(self): self.assertEqual(1, 2)
    def test_parts(self):
        for i in range(3):
            with self.subTest(i=i): self.assertNotEqual(i, 1)
class V(unittest.TestCase):
    @classmethod
    def setUpClass(cls): raise ValueError
    def test_never(self): pass
"#,
    );
    let expected = [
        "error setUpClass (test_u.V)",
        "error test_u.py::U::test_error",
        "failed test_u.py::U::test_bad",
        "failed test_u.py::U::test_parts",
        "passed test_u.py::U::test_expected",
        "passed test_u.py::U::test_ok",
        "skipped test_u.py::U::test_skip",
    ];
    let args = ["--", "python3", "-B", "-m", "unittest"];
    assert_eq!(check(&place, &args, "unittest", "complete", &expected).code, 1);
}

/// Runs a JavaScript runner on one file.
fn javascript(runner: &str, file: &str, text: &str, args: &[&str], expected: &[&str]) {
    let Some(path) = program(runner) else { return };
    let place = Place::new();
    place.write("package.json", "{\"name\": \"x\"}");
    place.write(file, text);
    if let Some(modules) = node_modules(&path) {
        std::os::unix::fs::symlink(modules, place.root().join("node_modules")).expect("a link");
    }
    let args = [&["--", runner], args].concat();
    check(&place, &args, runner, "complete", expected);
}

#[test]
fn jest() {
    let text = "describe('d', () => { test('ok', () => {}); test.each([1, 2])('p %i', x => { \
                expect(x).toBe(1); }); test.skip('s', () => {}); test.todo('later'); });";
    let expected = [
        "failed a.test.js::d > p 2",
        "passed a.test.js::d > ok",
        "passed a.test.js::d > p 1",
        "skipped a.test.js::d > later",
        "skipped a.test.js::d > s",
    ];
    javascript("jest", "a.test.js", text, &["--rootDir=."], &expected);
}

#[test]
fn vitest() {
    let text = "import {describe, test, expect} from 'vitest'; let n = 0; describe('d', () => { \
                test('ok', () => {}); test.each([1, 2])('p %i', x => { expect(x).toBe(1); }); \
                test.skip('s', () => {}); test('r', {retry: 1}, () => { n++; expect(n).toBe(2); }); \
                });";
    let expected = [
        "failed a.spec.mjs::d > p 2",
        "failed a.spec.mjs::d > r",
        "passed a.spec.mjs::d > ok",
        "passed a.spec.mjs::d > p 1",
        "passed a.spec.mjs::d > r (attempt 1)",
        "skipped a.spec.mjs::d > s",
    ];
    javascript("vitest", "a.spec.mjs", text, &["run"], &expected);
}

#[test]
fn mocha() {
    let text = "const assert = require('assert'); describe('d', () => { it('ok', () => {}); \
                it('bad', () => assert(0)); it('later'); let n = 0; it('r', function () { \
                this.retries(1); n++; assert(n == 2); }); describe('h', () => { before(() => { \
                throw new Error('x'); }); it('never', () => {}); }); });";
    let expected = [
        "error a.js::d > h > \"before all\" hook for \"never\"",
        "failed a.js::d > bad",
        "failed a.js::d > r",
        "passed a.js::d > ok",
        "passed a.js::d > r (attempt 1)",
        "skipped a.js::d > later",
    ];
    javascript("mocha", "a.js", text, &["a.js"], &expected);
}

#[test]
fn node_test() {
    let Some(node) = program("node") else { return };
    let version = Command::new(node).arg("--version").output().expect("it runs");
    let version = String::from_utf8_lossy(&version.stdout).into_owned();
    let major =
        version.trim().trim_start_matches('v').split('.').next().and_then(|it| it.parse().ok());
    if major.is_none_or(|major: u32| major < 20) {
        skipped::report(&format!("node {} is older than 20", version.trim()));
        return;
    }
    let place = Place::new();
    place.write(
        "a.test.mjs",
        "import {test, describe, it} from 'node:test'; import assert from 'node:assert'; \
         describe('d', () => { it('ok', () => {}); it('bad', () => assert(0)); \
         it.skip('s', () => {}); }); test('top', async t => { await t.test('sub', () => {}); });",
    );
    let expected = [
        "failed a.test.mjs::d > bad",
        "passed a.test.mjs::d > ok",
        "passed a.test.mjs::top",
        "passed a.test.mjs::top > sub",
        "skipped a.test.mjs::d > s",
    ];
    check(&place, &["--", "node", "--test"], "node:test", "complete", &expected);
    place.write("package.json", "{\"scripts\": {\"test\": \"node --test\"}}");
    if program("npm").is_some() {
        check(&place, &["--", "npm", "test"], "node:test", "complete", &expected);
    }
}

#[test]
fn go_test() {
    if program("go").is_none() {
        return;
    }
    let place = Place::new();
    place.write("go.mod", "module example.org/p\n\ngo 1.18\n");
    // `go test` vets examples since Go 1.26: each has to belong to an identifier of the package.
    place.write("p/a.go", "package p\nfunc X() {}\n");
    place.write(
        "p/a_test.go",
        "package p\nimport (\"fmt\"; \"testing\")\n\
         func TestOk(t *testing.T) { t.Log(\"x\"); fmt.Println(\"printed\") }\n\
         func TestSub(t *testing.T) { t.Run(\"a b\", func(t *testing.T) {}); \
         t.Run(\"bad\", func(t *testing.T) { t.Error(\"no\") }) }\n\
         func TestSkip(t *testing.T) { t.Skip() }\n\
         func ExampleX() { fmt.Println(1)\n// Output: 1\n}\n",
    );
    let expected = [
        "failed p/a_test.go::TestSub",
        "failed p/a_test.go::TestSub/bad",
        "passed p/a_test.go::ExampleX",
        "passed p/a_test.go::TestOk",
        "passed p/a_test.go::TestSub/a_b",
        "skipped p/a_test.go::TestSkip",
    ];
    let answer = check(&place, &["--", "go", "test", "./..."], "go test", "complete", &expected);
    assert_eq!(answer.code, 1);
    let text = answer.text();
    assert!(text.starts_with("printed\n--- FAIL: TestSub (0.00s)\n"), "{text}");
    assert!(!answer.stderr.contains("vet:"), "{}", answer.stderr);
    place.write(
        "p/b_test.go",
        "package p\nimport \"testing\"\nfunc TestPanic(t *testing.T) { panic(1) }\n",
    );
    let args = ["--", "go", "test", "-run", "TestPanic", "./..."];
    let panics = check(&place, &args, "go test", "partial", &["failed p/b_test.go::TestPanic"]);
    assert_eq!(panics.code, 1);
}

/// Runs Maven with JUnit in a project that has every outcome. Maven fetches JUnit and its own plugins unless
/// the repository of the user has them.
#[test]
fn maven() {
    if program("mvn").is_none() || program("javac").is_none() {
        return;
    }
    let place = Place::new();
    place.write("pom.xml", POM);
    place.write(
        "src/test/java/com/x/FooTest.java",
        "package com.x;\nimport org.junit.*;\npublic class FooTest {\n  @Test public void ok() {}\n  \
         @Test public void bad() { Assert.fail(); }\n  @Test public void error() { throw new \
         IllegalStateException(); }\n  @Ignore @Test public void skip() {}\n}\n",
    );
    let repository =
        std::env::var_os("HOME").map(|home| PathBuf::from(home).join(".m2/repository"));
    let repository = repository.filter(|path| path.is_dir());
    let repository = repository.unwrap_or_else(|| place.base().join("home/m2"));
    let repository = format!("-Dmaven.repo.local={}", repository.display());
    // Of a failed test, Surefire fetches the provider of JUnit.
    let args = ["-B", "-q", &repository, "-Dmaven.test.failure.ignore=true", "test"];
    let mut fetch = place.command("mvn");
    fetch.env("PATH", super::search_path()).args(args).arg("-Dtest=FooTest#ok");
    let (fetched, hung) = output(fetch, None);
    if hung || !fetched.status.success() {
        let text = String::from_utf8_lossy(&fetched.stdout);
        let first = text.lines().next().unwrap_or("no output");
        skipped::report(&format!("Maven cannot run any test here ({first})"));
        return;
    }
    let expected = [
        "error src/test/java/com/x/FooTest.java::FooTest::error",
        "failed src/test/java/com/x/FooTest.java::FooTest::bad",
        "passed src/test/java/com/x/FooTest.java::FooTest::ok",
        "skipped src/test/java/com/x/FooTest.java::FooTest::skip",
    ];
    let args = ["--", "mvn", "-B", "-q", &repository, "test"];
    assert_eq!(check(&place, &args, "maven", "complete", &expected).code, 1);
}

/// A project with JUnit 4 whose versions are those that are fetched once.
const POM: &str = "<project xmlns=\"http://maven.apache.org/POM/4.0.0\"><modelVersion>4.0.0</modelVersion>\
    <groupId>com.x</groupId><artifactId>x</artifactId><version>1</version><properties>\
    <maven.compiler.source>8</maven.compiler.source><maven.compiler.target>8</maven.compiler.target>\
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties><dependencies>\
    <dependency><groupId>junit</groupId><artifactId>junit</artifactId><version>4.13.2</version>\
    <scope>test</scope></dependency></dependencies></project>";

/// A crate with a library, an integration test and an example in its documentation.
fn rust_crate(place: &Place) {
    place.write("Cargo.toml", "[package]\nname = \"my-demo\"\nedition = \"2021\"\n[workspace]\n");
    place.write(
        "src/lib.rs",
        "pub mod a;\n/// ```\n/// assert_eq!(my_demo::one(), 1);\n/// ```\npub fn one() -> u8 { 1 }\n\
         #[cfg(test)]\nmod tests {\n    #[test]\n    fn ok() { println!(\"x\"); }\n    #[test]\n    \
         #[should_panic]\n    fn panics() { panic!() }\n    #[test]\n    #[ignore = \"slow\"]\n    \
         fn slow() {}\n}\n",
    );
    place.write("src/a.rs", "#[cfg(test)]\nmod tests {\n    #[test]\n    fn deep() {}\n}\n");
    place.write("tests/it.rs", "#[test]\nfn bad() { assert!(false); }\n");
}

#[test]
fn cargo_test() {
    if program("cargo").is_none() {
        return;
    }
    let place = Place::new();
    rust_crate(&place);
    let expected = [
        "failed tests/it.rs::bad",
        "passed src/a.rs::tests::deep",
        "passed src/lib.rs::one (line 2)",
        "passed src/lib.rs::tests::ok",
        "passed src/lib.rs::tests::panics",
        "skipped src/lib.rs::tests::slow",
    ];
    let args = ["--", "cargo", "test", "--offline", "--no-fail-fast"];
    assert_eq!(check(&place, &args, "cargo test", "complete", &expected).code, 101);
    place.write("src/a.rs", "fn broken( {}\n");
    assert_eq!(check(&place, &args, "cargo test", "partial", &[]).code, 101);
}

#[test]
fn nextest() {
    if program("cargo-nextest").is_none() {
        return;
    }
    let place = Place::new();
    rust_crate(&place);
    let expected = [
        "failed tests/it.rs::bad",
        "passed src/a.rs::tests::deep",
        "passed src/lib.rs::tests::ok",
        "passed src/lib.rs::tests::panics",
    ];
    let args = ["--", "cargo", "nextest", "run", "--offline", "--no-fail-fast"];
    assert_eq!(check(&place, &args, "nextest", "complete", &expected).code, 100);
}

#[test]
fn rspec() {
    if program("rspec").is_none() {
        return;
    }
    let place = Place::new();
    place.write(
        "spec/a_spec.rb",
        "RSpec.describe \"D\" do\n  it(\"ok\") { }\n  it(\"bad\") { expect(1).to eq 2 }\n  \
         xit(\"skipped\") { }\n  pending(\"todo\") { expect(1).to eq 2 }\nend\n",
    );
    let expected = [
        "failed spec/a_spec.rb::D bad",
        "passed spec/a_spec.rb::D ok",
        "passed spec/a_spec.rb::D todo",
        "skipped spec/a_spec.rb::D skipped",
    ];
    assert_eq!(check(&place, &["--", "rspec"], "rspec", "complete", &expected).code, 1);
}

#[test]
fn phpunit() {
    if program("phpunit").is_none() {
        return;
    }
    let place = Place::new();
    place.write(
        "tests/ATest.php",
        "<?php\nuse PHPUnit\\Framework\\TestCase;\nfinal class ATest extends TestCase {\n\
         public function testOk(): void { $this->assertTrue(true); }\n\
         public function testBad(): void { $this->assertTrue(false); }\n\
         public function testError(): void { throw new Exception('x'); }\n\
         public function testSkip(): void { $this->markTestSkipped('s'); }\n\
         /** @dataProvider d */ public function testD(int $x): void { $this->assertSame($x, 1); }\n\
         public static function d(): array { return [[1], 'two \"q\"' => [1]]; }\n}\n",
    );
    let expected = [
        "error tests/ATest.php::ATest::testError",
        "failed tests/ATest.php::ATest::testBad",
        "passed tests/ATest.php::ATest::testD with data set \"two \"q\"\"",
        "passed tests/ATest.php::ATest::testD with data set #0",
        "passed tests/ATest.php::ATest::testOk",
        "skipped tests/ATest.php::ATest::testSkip",
    ];
    check(&place, &["--", "phpunit", "tests"], "phpunit", "complete", &expected);
}
