//! The command that runs the tests of a file, derived from its language, its path and the manifests
//! of its parent directories.
//!
//! Nothing is executed. Without a supported manifest there is no command.

use serde_json::Value;

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
        "javascript" | "typescript" | "tsx" => Some(javascript(path, folder, &read)?.0),
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
    read: &impl Fn(&str) -> Option<String>,
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
    if path.starts_with('-') || path.contains(['\'', '`']) || path.chars().any(is_unseen) {
        return None;
    }
    if path.starts_with('@') {
        // Some runners read options from such a file.
        return quoted(&format!("./{path}"));
    }
    Some(plain(path).unwrap_or_else(|| format!("'{path}'")))
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

fn rust(path: &str, read: &impl Fn(&str) -> Option<String>) -> Option<String> {
    let folder = path.rsplit_once('/').map_or("", |(folder, _)| folder);
    let (package, manifest) = nearest(folder, "Cargo.toml", read)?;
    let cargo = if package.is_empty() {
        "cargo test".to_owned()
    } else {
        format!("cargo test --manifest-path {}/Cargo.toml", plain(&package)?)
    };
    let below = path.strip_prefix(&package)?.trim_start_matches('/');
    let below = plain(below.strip_suffix(".rs")?)?;
    let parts: Vec<&str> = below.split('/').collect();
    match parts[..] {
        ["tests", binary] => Some(format!("{cargo} --test {binary}")),
        ["tests", binary, "main"] => Some(format!("{cargo} --test {binary}")),
        ["tests", binary, module, ..] => {
            let main = format!("tests/{binary}/main.rs");
            let main = if package.is_empty() { main } else { format!("{package}/{main}") };
            read(&main).map(|_| format!("{cargo} --test {binary} {module}::"))
        }
        ["src", "bin", binary, ..] => Some(format!("{cargo} --bin {binary}")),
        ["src", .., last] => {
            let has = |name: &str| {
                let path = format!("src/{name}");
                read(&if package.is_empty() { path } else { format!("{package}/{path}") }).is_some()
            };
            let is_main = last == "main" && parts.len() == 2;
            if is_main || has("main.rs") && !has("lib.rs") && !manifest.contains("[lib]") {
                return Some(format!("{cargo} --bins"));
            }
            let mut modules = parts[1..].to_vec();
            if matches!(last, "mod" | "lib" | "main") {
                modules.pop();
            }
            Some(format!("{cargo} --lib {}", modules.join("::")).trim_end().to_owned())
        }
        _ => None,
    }
}

/// A JavaScript test runner: its name, the command that runs one file, and the option that selects
/// tests by a regular expression on their titles, if there is one that may follow the file.
type JsRunner = (&'static str, &'static str, Option<&'static str>);

/// JavaScript test runners.
const RUNNERS: [JsRunner; 5] = [
    ("vitest", "npx vitest run", Some("-t")),
    ("jest", "npx jest", Some("-t")),
    ("mocha", "npx mocha", Some("-g")),
    ("ava", "npx ava", None),
    // Its options must precede the file.
    ("node --test", "node --test", None),
];

/// A command, and the option that selects tests by their titles.
type JsCommand = (String, Option<&'static str>);

/// Returns the command that runs the JavaScript file at a path, and the option that selects tests in it
/// by a regular expression on their titles.
pub(super) fn javascript(
    path: &str,
    folder: &str,
    read: &impl Fn(&str) -> Option<String>,
) -> Option<JsCommand> {
    let mut above = folder;
    loop {
        let (project, manifest) = nearest(above, "package.json", read)?;
        if let Some(command) = of_package(path, &project, &manifest, read) {
            return Some(command);
        }
        // Packages of a workspace are often tested from its root.
        if project.is_empty() {
            return None;
        }
        above = project.rsplit_once('/').map_or("", |(above, _)| above);
        // Borrow from `folder`, which outlives the loop.
        above = &folder[..above.len()];
    }
}

fn of_package(
    path: &str,
    project: &str,
    manifest: &str,
    read: &impl Fn(&str) -> Option<String>,
) -> Option<JsCommand> {
    let manifest: Value = serde_json::from_str(manifest).ok()?;
    let script = manifest["scripts"]["test"].as_str().unwrap_or_default();
    let depends = |name: &str| {
        let kinds = ["devDependencies", "dependencies"];
        kinds.iter().any(|kind| manifest[kind].get(name).is_some())
    };
    let below = quoted(path.strip_prefix(project)?.trim_start_matches('/'))?;
    let enter =
        if project.is_empty() { String::new() } else { format!("cd {} && ", plain(project)?) };
    let file = |name: &str| {
        read(&if project.is_empty() { name.to_owned() } else { format!("{project}/{name}") })
    };
    // A script of several commands passes arguments to the last one.
    let is_single = !script.contains(['&', '|', ';']) && !script.contains("npm run");
    let runs = |name: &str| is_single && script.contains(name);
    if let Some((_, _, option)) = RUNNERS.iter().find(|(name, ..)| runs(name)) {
        // The test script of the project accepts files as arguments.
        let run = match (file("yarn.lock"), file("pnpm-lock.yaml")) {
            (Some(_), _) => "yarn test",
            (None, Some(_)) => "pnpm test",
            (None, None) => "npm test --",
        };
        return Some((format!("{enter}{run} {below}"), *option));
    }
    let (_, run, option) = match script_of(&manifest, &below) {
        Some(runner) => runner,
        // Scripts name other directories, or the project has its own scripts of scripts.
        None if manifest["scripts"].as_object().is_some_and(has_runner) => return None,
        None => RUNNERS.iter().find(|(name, ..)| depends(name))?,
    };
    Some((format!("{enter}{run} {below}"), *option))
}

fn has_runner(scripts: &serde_json::Map<String, Value>) -> bool {
    let texts = scripts.values().filter_map(Value::as_str);
    texts.into_iter().any(|text| RUNNERS.iter().any(|(name, ..)| has_words(text, name)))
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c.is_whitespace() || "&|;\"'".contains(c)).filter(|word| !word.is_empty())
}

/// Returns true if a command has the words of the name of a runner, next to each other.
fn has_words(command: &str, name: &str) -> bool {
    let words: Vec<&str> = words(command).collect();
    let name: Vec<&str> = name.split(' ').collect();
    words.windows(name.len()).any(|of| of == name)
}

/// Returns the runner of the script that names a directory of the file, or of one that names none.
fn script_of(manifest: &Value, below: &str) -> Option<&'static JsRunner> {
    let scripts = manifest["scripts"].as_object()?;
    let mut best: Option<(usize, &JsRunner)> = None;
    for script in scripts.values().filter_map(Value::as_str) {
        for command in script.split(['&', '|', ';']) {
            let Some(runner) = RUNNERS.iter().find(|(name, ..)| has_words(command, name)) else {
                continue;
            };
            // `test/unit/**/*.js` names `test/unit/`.
            let directory = |word: &str| {
                let fixed = &word[..word.find(['*', '{', '?']).unwrap_or(word.len())];
                fixed.rfind('/').map(|end| fixed[..=end].trim_start_matches("./").to_owned())
            };
            let mut named =
                words(command).filter(|word| !word.starts_with('-')).filter_map(directory);
            let first = named.next();
            let is_match = |of: &String| below.starts_with(of.as_str());
            let found =
                first.iter().cloned().chain(named).filter(is_match).map(|of| of.len()).max();
            let weight = if first.is_none() { Some(0) } else { found };
            if let Some(weight) = weight
                && best.is_none_or(|(known, _)| weight > known)
            {
                best = Some((weight, runner));
            }
        }
    }
    best.map(|(_, runner)| runner)
}

fn jvm(folder: &str, class: String, read: &impl Fn(&str) -> Option<String>) -> Option<String> {
    if let Some((project, _)) = nearest(folder, "pom.xml", read) {
        let module =
            if project.is_empty() { String::new() } else { format!(" -pl {}", plain(&project)?) };
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
        check("-x/test_a.py", "python", &[], None);
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
            Some("npm test -- src/a.test.js"),
        );
        check(
            "src/a.test.js",
            "javascript",
            &[("package.json", jest), ("yarn.lock", "")],
            Some("yarn test src/a.test.js"),
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
            Some("npm test -- p/q/a.test.ts"),
        );
        check("a.test.ts", "typescript", &[("package.json", "{")], None);
        // npm appends arguments to the last of several commands.
        let several = r#"{"scripts": {"test": "npm run test:lint && npm run test:unit",
            "test:unit": "mocha --exit test/unit/**/*.js"}, "devDependencies": {"mocha": "1"}}"#;
        let several: &[(&str, &str)] = &[("package.json", several)];
        check("test/unit/a.js", "javascript", several, Some("npx mocha test/unit/a.js"));
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
