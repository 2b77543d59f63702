//! The commands for tests of each runner, without a file system.

use super::*;

fn test(runner: Runner, id: &str, groups: &[&str], name: &str) -> Test {
    Test {
        id: id.to_owned(),
        name: name.to_owned(),
        groups: groups.iter().map(|group| (*group).to_owned()).collect(),
        runner,
        span: 0..1,
        line: 1,
        place: None,
        requests: Vec::new(),
        subtests: Vec::new(),
    }
}

#[test]
fn commands_name_the_tests() {
    let check = |tests: &[(&str, Test)], files: &[(&str, &str)], expected: &[&str]| {
        let read = |name: &str| {
            let file = files.iter().find(|(path, _)| *path == name);
            file.map(|(_, text)| (*text).to_owned())
        };
        let tests: Vec<Located<'_>> = tests.iter().map(|(path, test)| (*path, test)).collect();
        assert_eq!(commands(&tests, &read), expected);
    };
    check(
        &[
            ("t/test_a.py", test(Runner::Pytest, "t/test_a.py::test_b", &[], "test_b")),
            ("t/test_c d.py", test(Runner::Pytest, "t/test_c d.py::E::f", &["E"], "f")),
        ],
        &[],
        &["pytest t/test_a.py::test_b 't/test_c d.py::E::f'"],
    );
    // No option of the runner.
    check(
        &[("-x_test.py", test(Runner::Pytest, "-x_test.py::test_b", &[], "test_b"))],
        &[],
        &["pytest ./-x_test.py::test_b"],
    );
    check(
        &[
            ("a/b_test.go", test(Runner::Go, "TestA", &[], "TestA")),
            ("a/c_test.go", test(Runner::Go, "TestC", &[], "TestC")),
        ],
        &[("go.mod", "")],
        &["go test ./a -run '^(TestA|TestC)$'"],
    );
    check(
        &[("src/a.rs", test(Runner::Cargo, "a::tests::b", &["tests"], "b"))],
        &[("Cargo.toml", ""), ("src/lib.rs", "")],
        &["cargo test --lib -- --exact a::tests::b"],
    );
    check(
        &[("src/main.rs", test(Runner::Cargo, "tests::b", &["tests"], "b"))],
        &[("Cargo.toml", "")],
        &["cargo test --bins -- --exact tests::b"],
    );
    check(
        &[("a.test.js", test(Runner::JavaScript, "x", &["cart"], "adds"))],
        &[("package.json", r#"{"scripts": {"test": "mocha"}}"#)],
        &["npm test -- a.test.js -g '^cart adds$'"],
    );
    check(
        &[("a.test.js", test(Runner::JavaScript, "x", &["cart"], "adds"))],
        &[("package.json", r#"{"scripts": {"test": "node --test"}}"#)],
        &["node --test --test-name-pattern='^(cart )?adds$' a.test.js"],
    );
    check(
        &[("src/a.test.ts", test(Runner::JavaScript, "x", &["cart"], "adds"))],
        &[("package.json", r#"{"devDependencies": {"jest": "1"}}"#)],
        &["npx jest --runTestsByPath src/a.test.ts -t '^cart adds$'"],
    );
    check(
        &[("m/src/test/java/AT.java", test(Runner::Jvm, "a.AT#b", &["AT"], "b"))],
        &[("m/pom.xml", "")],
        &["mvn test -pl m -am -DfailIfNoTests=false -Dsurefire.failIfNoSpecifiedTests=false \
           -Dtest='a.AT#b'"],
    );
    // A path that cannot be quoted is not left out.
    check(
        &[
            ("t/`x`.py", test(Runner::Pytest, "t/`x`.py::a", &[], "a")),
            ("t/it's.py", test(Runner::Pytest, "t/it's.py::a", &[], "a")),
            ("@t/b.py", test(Runner::Pytest, "@t/b.py::b", &[], "b")),
        ],
        &[],
        &["pytest 't/it'\\''s.py::a' ./@t/b.py::b", "pytest"],
    );
    check(
        &[("a.test.js", test(Runner::JavaScript, "x", &[], "--watch"))],
        &[("package.json", r#"{"scripts": {"test": "jest"}}"#)],
        &["npm test -- --runTestsByPath a.test.js -t '^--watch$'"],
    );
    // A name that a shell would interpret is never part of a command.
    check(
        &[("a_test.go", test(Runner::Go, "x", &[], "Test$(rm)"))],
        &[("go.mod", "")],
        &["go test ."],
    );
    check(
        &[("t/test_a.py", test(Runner::Pytest, "t/test_a.py::`rm`", &[], "`rm`"))],
        &[],
        &["pytest t/test_a.py"],
    );
    // Commands of runners that no test of this repository starts everywhere.
    check(
        &[("A/ATests.cs", test(Runner::Dotnet, "A.ATests.B", &["A", "ATests"], "B"))],
        &[],
        &["dotnet test --filter 'FullyQualifiedName=A.ATests.B|FullyQualifiedName~A.ATests.B\\('"],
    );
    check(
        &[("Tests/A.swift", test(Runner::Swift, "ATests/testB", &["ATests"], "testB"))],
        &[],
        &["swift test --filter '[.]ATests/testB([(]|$)'"],
    );
    let of_suite = "func TestS(t *testing.T) {\n\tsuite.Run(t, new(MySuite))\n}\n";
    check(
        &[("a_test.go", test(Runner::Go, "MySuite/TestA", &["MySuite"], "TestA"))],
        &[("go.mod", ""), ("a_test.go", of_suite)],
        &["go test . -run '^(TestS)$' -testify.m '^(TestA)$'"],
    );
    check(
        &[("a_test.go", test(Runner::Go, "TestA", &[], "TestA"))],
        &[("go.mod", ""), ("a_test.go", "//go:build linux && slow\n\npackage a\n")],
        &["go test -tags slow . -run '^(TestA)$'"],
    );
    let cases = "#[rstest]\n#[case(1)]\nfn b() {}\n";
    let mut of_cases = test(Runner::Cargo, "a::b", &[], "b");
    of_cases.span = 0..cases.len();
    check(
        &[("src/a.rs", of_cases), ("src/a.rs", test(Runner::Cargo, "a::c", &[], "c"))],
        &[("Cargo.toml", ""), ("src/lib.rs", ""), ("src/a.rs", cases)],
        &["cargo test --lib -- --exact a::c", "cargo test --lib -- a::b"],
    );
    check(
        &[("my crate/src/a.rs", test(Runner::Cargo, "a::c", &[], "c"))],
        &[("my crate/Cargo.toml", ""), ("my crate/src/lib.rs", "")],
        &["cargo test --manifest-path 'my crate/Cargo.toml' --lib -- --exact a::c"],
    );
    check(
        &[
            ("a/tests/test_a.py", test(Runner::Pytest, "a/tests/test_a.py::b", &[], "b")),
            ("test_c.py", test(Runner::Pytest, "test_c.py::d", &[], "d")),
        ],
        &[("a/pytest.ini", "")],
        &["pytest test_c.py::d", "cd a && pytest tests/test_a.py::b"],
    );
}

#[test]
fn a_command_is_bounded() {
    let of = |number: usize| {
        let path = format!("tests/a_long_name_of_a_directory/test_{number}.py");
        let id = format!("{path}::test_it");
        (path, test(Runner::Pytest, &id, &[], "test_it"))
    };
    let tests: Vec<(String, Test)> = (0..10_000).map(of).collect();
    let located: Vec<Located<'_>> =
        tests.iter().map(|(path, test)| (path.as_str(), test)).collect();
    let found = commands(&located, &|_| None);
    assert!(found.iter().all(|command| command.len() <= LENGTH_MAX + 100), "too long");
    let files: usize = found.iter().map(|command| command.split(' ').count() - 1).sum();
    assert_eq!(files, 10_000);
}
