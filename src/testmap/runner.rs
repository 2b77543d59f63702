//! The command that runs the tests of a file, derived from its language, its path and the manifests
//! of its parent directories.
//!
//! Nothing is executed. Without a supported manifest there is no command.

pub(super) mod javascript;

/// Returns the command that runs the tests in the file at a repository path, from the root. `read`
/// returns the text of a file of the tree.
pub fn command(
    path: &str,
    language: Option<&str>,
    read: impl Fn(&str) -> Option<String>,
) -> Option<String> {
    let (folder, name) = path.rsplit_once('/').unwrap_or(("", path));
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let quoted = quoted(path)?;
    match language? {
        "python" => {
            let is_collected = stem.starts_with("test_") || stem.ends_with("_test");
            is_collected.then(|| format!("pytest {quoted}"))
        }
        "rust" => rust(path, &read),
        "go" if name.ends_with("_test.go") => {
            let module = nearest(folder, "go.mod", &read)?.0;
            let below = folder.strip_prefix(&module)?.trim_start_matches('/');
            let package = plain(&if below.is_empty() { ".".into() } else { format!("./{below}") })?;
            Some(if module.is_empty() {
                format!("go test {package}")
            } else {
                format!("go -C {} test {package}", plain(&module)?)
            })
        }
        "javascript" | "typescript" | "tsx" => javascript::of_file(path, &read)?.files(&[path]),
        "ruby" if stem.ends_with("_spec") => Some(format!("bundle exec rspec {quoted}")),
        "ruby" if stem.ends_with("_test") => Some(format!("ruby -Itest {quoted}")),
        "php" if stem.ends_with("Test") => {
            let (project, _) = nearest(folder, "composer.json", &read)?;
            project.is_empty().then(|| format!("vendor/bin/phpunit {quoted}"))
        }
        "java" | "kotlin" => jvm(folder, plain(stem)?, &read),
        _ => None,
    }
}

/// Returns the nearest directory, at or above `folder`, that contains a file `name`, and its text.
pub(super) fn nearest(
    folder: &str,
    name: &str,
    read: &dyn Fn(&str) -> Option<String>,
) -> Option<(String, String)> {
    let mut folder = folder;
    loop {
        let path = if folder.is_empty() { name.to_owned() } else { format!("{folder}/{name}") };
        if let Some(text) = read(&path) {
            return Some((folder.to_owned(), text));
        }
        if folder.is_empty() {
            return None;
        }
        folder = folder.rsplit_once('/').map_or("", |(above, _)| above);
    }
}

/// Returns a path quoted for a shell; `None` for a path that cannot be quoted safely.
pub(super) fn quoted(path: &str) -> Option<String> {
    if path.contains('`') || path.chars().any(is_unseen) {
        return None;
    }
    if path.starts_with(['@', '-']) {
        // Some runners read options from such a file, or take its name as an option.
        return quoted(&format!("./{path}"));
    }
    Some(plain(path).unwrap_or_else(|| format!("'{}'", path.replace('\'', "'\\''"))))
}

/// Returns true for control characters and those that change the direction of a text.
fn is_unseen(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}')
}

/// Returns a text if it needs no quoting in a shell.
pub(super) fn plain(text: &str) -> Option<String> {
    let is_plain = |c: char| c.is_ascii_alphanumeric() || "_./@+-:".contains(c);
    (!text.starts_with('-') && text.chars().all(is_plain)).then(|| text.to_owned())
}

/// The target that has the tests of a Rust file.
pub(super) struct RustTarget {
    /// The directory of its package.
    pub(super) package: String,
    /// The option that selects it.
    pub(super) option: String,
    /// The path of the module in it, as a filter; empty for the root of the target.
    pub(super) module: String,
}

/// Returns the target that has the tests of the Rust file at a path.
pub(super) fn rust_target(path: &str, read: &dyn Fn(&str) -> Option<String>) -> Option<RustTarget> {
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let (package, manifest) = nearest(folder, "Cargo.toml", read)?;
    let below = path.strip_prefix(&package)?.trim_start_matches('/');
    let below = plain(below.strip_suffix(".rs")?)?;
    let parts: Vec<&str> = below.split('/').collect();
    let has = |path: &str| {
        read(&if package.is_empty() { path.to_owned() } else { format!("{package}/{path}") })
            .is_some()
    };
    let (option, module) = match parts[..] {
        ["tests", binary] | ["tests", binary, "main"] => {
            (format!("--test {binary}"), String::new())
        }
        ["tests", binary, module, ..] => {
            if !has(&format!("tests/{binary}/main.rs")) {
                return None;
            }
            (format!("--test {binary}"), format!("{module}::"))
        }
        ["src", "bin", binary, ..] => (format!("--bin {binary}"), String::new()),
        ["src", .., last] => {
            let is_main = last == "main" && parts.len() == 2;
            if is_main || has("src/main.rs") && !has("src/lib.rs") && !manifest.contains("[lib]") {
                ("--bins".to_owned(), String::new())
            } else {
                let mut modules = parts[1..].to_vec();
                if matches!(last, "mod" | "lib" | "main") {
                    modules.pop();
                }
                ("--lib".to_owned(), modules.join("::"))
            }
        }
        _ => return None,
    };
    Some(RustTarget { package, option, module })
}

fn rust(path: &str, read: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    let RustTarget { package, option, module } = rust_target(path, read)?;
    let manifest = match &*package {
        "" => String::new(),
        package => format!(" --manifest-path {}", quoted(&format!("{package}/Cargo.toml"))?),
    };
    Some(format!("cargo test{manifest} {option} {module}").trim_end().to_owned())
}

fn jvm(folder: &str, class: String, read: &dyn Fn(&str) -> Option<String>) -> Option<String> {
    if let Some((project, _)) = nearest(folder, "pom.xml", read) {
        let module =
            if project.is_empty() { String::new() } else { format!(" -pl {}", quoted(&project)?) };
        return Some(format!("mvn test{module} -Dtest={class}"));
    }
    let build = ["build.gradle", "build.gradle.kts"];
    let (project, _) = build.iter().find_map(|name| nearest(folder, name, read))?;
    let gradle = if read("gradlew").is_some() { "./gradlew" } else { "gradle" };
    let task = if project.is_empty() {
        "test".to_owned()
    } else {
        format!(":{}:test", plain(&project)?.replace('/', ":"))
    };
    Some(format!("{gradle} {task} --tests '*{class}'"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_follow_the_manifests() {
        let check = |path: &str, language: &str, files: &[(&str, &str)], expected: Option<&str>| {
            let read = |name: &str| {
                let file = files.iter().find(|(path, _)| *path == name);
                file.map(|(_, text)| (*text).to_owned())
            };
            assert_eq!(command(path, Some(language), read).as_deref(), expected, "{path}");
        };
        check("tests/test_cart.py", "python", &[], Some("pytest tests/test_cart.py"));
        check("tests/test_my cart.py", "python", &[], Some("pytest 'tests/test_my cart.py'"));
        check("tests/helpers.py", "python", &[], None);
        check("tests/test_`rm`.py", "python", &[], None);
        check("-x/test_a.py", "python", &[], Some("pytest ./-x/test_a.py"));
        let cargo: &[(&str, &str)] = &[("Cargo.toml", ""), ("tests/it/main.rs", "")];
        check("tests/cart.rs", "rust", cargo, Some("cargo test --test cart"));
        check("tests/it/cart.rs", "rust", cargo, Some("cargo test --test it cart::"));
        check("src/cart/tests.rs", "rust", cargo, Some("cargo test --lib cart::tests"));
        check("src/main.rs", "rust", cargo, Some("cargo test --bins"));
        check("src/bin/tool.rs", "rust", cargo, Some("cargo test --bin tool"));
        let program: &[(&str, &str)] = &[("Cargo.toml", ""), ("src/main.rs", "")];
        check("src/cart/tests.rs", "rust", program, Some("cargo test --bins"));
        check(
            "a/tests/b.rs",
            "rust",
            &[("a/Cargo.toml", "")],
            Some("cargo test --manifest-path a/Cargo.toml --test b"),
        );
        check("tests/cart.rs", "rust", &[], None);
        check("net/dial_test.go", "go", &[("go.mod", "")], Some("go test ./net"));
        check("a/net/dial_test.go", "go", &[("a/go.mod", "")], Some("go -C a test ./net"));
        let jest = r#"{"scripts": {"test": "jest --ci"}}"#;
        check(
            "src/a.test.js",
            "javascript",
            &[("package.json", jest)],
            Some("npm test -- --runTestsByPath src/a.test.js"),
        );
        check(
            "src/a.test.js",
            "javascript",
            &[("package.json", jest), ("yarn.lock", "")],
            Some("yarn test --runTestsByPath src/a.test.js"),
        );
        let vitest = r#"{"devDependencies": {"vitest": "1"}}"#;
        check(
            "p/a.test.ts",
            "typescript",
            &[("p/package.json", vitest)],
            Some("cd p && npx vitest run a.test.ts"),
        );
        check(
            "p/q/a.test.ts",
            "typescript",
            &[("p/q/package.json", "{}"), ("package.json", jest)],
            Some("npm test -- --runTestsByPath p/q/a.test.ts"),
        );
        check("a.test.ts", "typescript", &[("package.json", "{")], None);
        // npm appends arguments to the last of several commands.
        let several = r#"{"scripts": {"test": "npm run test:lint && npm run test:unit",
            "test:unit": "mocha --exit test/unit/**/*.js"}, "devDependencies": {"mocha": "1"}}"#;
        let several: &[(&str, &str)] = &[("package.json", several)];
        check("test/unit/a.js", "javascript", several, Some("npx mocha --exit test/unit/a.js"));
        check("test/browser/a.js", "javascript", several, None);
        check("spec/cart_spec.rb", "ruby", &[], Some("bundle exec rspec spec/cart_spec.rb"));
        check(
            "m/src/test/java/CartTest.java",
            "java",
            &[("m/pom.xml", "")],
            Some("mvn test -pl m -Dtest=CartTest"),
        );
        check(
            "src/CartTest.kt",
            "kotlin",
            &[("build.gradle.kts", ""), ("gradlew", "")],
            Some("./gradlew test --tests '*CartTest'"),
        );
        check("CartTests.cs", "csharp", &[], None);
    }
}
