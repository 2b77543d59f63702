//! How a test command is made to report: by its environment and, where a runner has no other way,
//! by additional arguments that do not change its output.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};

use super::Options;
use crate::error::{Error, Result};
use crate::reports::hooks;

/// The maximum size of a file of the tree that is examined, in bytes.
const FILE_BYTES_MAX: u64 = 4 << 20;

/// What is run, and where its results appear.
#[derive(Debug, Default)]
pub(super) struct Plan {
    /// The arguments that are inserted, each with its position in the command.
    pub(super) inserted: Vec<(usize, OsString)>,
    /// The environment.
    pub(super) environment: Vec<(&'static str, OsString)>,
    /// True if the results are read from the output.
    pub(super) is_captured: bool,
    /// Files in JUnit XML, by globs relative to the current directory, which must be newer than the
    /// start of the run.
    pub(super) globs: Vec<String>,
    /// A file in JUnit XML that only this run writes.
    pub(super) junit: Option<PathBuf>,
    /// The runner, if the command names it.
    pub(super) expected: Option<&'static str>,
    /// Why the runner cannot report.
    pub(super) obstacle: Option<String>,
}

/// Returns how `words` are run. Writes the hooks into `reports`.
///
/// # Errors
///
/// If the hooks cannot be written.
pub(super) fn plan(
    words: &[OsString],
    directory: &Path,
    reports: &Path,
    options: &Options,
) -> Result<Plan> {
    let hooks_dir = reports.join("hooks");
    for (name, text) in hooks::FILES {
        write(&hooks_dir.join(name), text)?;
    }
    let mut plan = Plan { globs: options.globs.clone(), ..Plan::default() };
    let texts: Vec<String> = words.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let names: Vec<&str> = texts.iter().map(|text| base_name(text)).collect();
    let scripts = package_script(&texts, directory).unwrap_or_default();
    plan.expected = expected(&names, &texts, &scripts);
    plan.environment.push(("CODEDB_REPORT_DIR", reports.into()));
    python(&mut plan, &names, &texts, &hooks_dir);
    node(&mut plan, &names, &texts, &scripts, &hooks_dir);
    let require = hooks_dir.join("rspec.rb");
    plan.environment.push(("SPEC_OPTS", extended("SPEC_OPTS", "--require ", &require)));
    if names[0] == "go" || (plan.expected.is_none() && directory.join("go.mod").exists()) {
        go(&mut plan, &texts, directory, reports)?;
    }
    match plan.expected {
        Some("cargo test") => plan.is_captured = true,
        Some("nextest") => nextest(&mut plan, &texts, reports)?,
        Some("phpunit") => phpunit(&mut plan, &names, &texts, directory, reports),
        Some("maven") if plan.globs.is_empty() => {
            let kinds = ["surefire", "failsafe"];
            let globs = kinds.map(|kind| format!("**/target/{kind}-reports/TEST-*.xml"));
            plan.globs.extend(globs);
        }
        Some("gradle") if plan.globs.is_empty() => {
            plan.globs.push("**/build/test-results/**/TEST-*.xml".to_owned());
        }
        Some("ctest") => ctest(&mut plan, &names, &texts, reports),
        _ => {}
    }
    let library = hooks_dir.join("ruby");
    let before = std::env::var_os("RUBYLIB").filter(|value| !value.is_empty());
    let paths = std::iter::once(library).chain(before.iter().flat_map(std::env::split_paths));
    if let Ok(joined) = std::env::join_paths(paths) {
        plan.environment.push(("RUBYLIB", joined));
    }
    Ok(plan)
}

/// Lets CTest write a report in JUnit XML; only versions from 3.21 can.
fn ctest(plan: &mut Plan, names: &[&str], texts: &[String], reports: &Path) {
    if let Some(at) = texts.iter().position(|text| text == "--output-junit") {
        plan.junit = texts.get(at + 1).map(Into::into);
        return;
    }
    let Some(at) = names.iter().position(|name| *name == "ctest") else { return };
    let help = Command::new(&texts[at]).arg("--help").output();
    let is_known =
        help.is_ok_and(|help| String::from_utf8_lossy(&help.stdout).contains("--output-junit"));
    if !is_known {
        plan.obstacle = Some("this version of CTest writes no report".to_owned());
        return;
    }
    let junit = reports.join("ctest.xml");
    plan.inserted.push((at + 1, "--output-junit".into()));
    plan.inserted.push((at + 2, junit.clone().into()));
    plan.junit = Some(junit);
}

/// Returns the runner that a command names, if it names one.
fn expected(names: &[&str], texts: &[String], script: &str) -> Option<&'static str> {
    let has = |name: &str| names.contains(&name);
    let is_script = |name: &str| {
        script.split_whitespace().any(|word| base_name(word).trim_end_matches(".js") == name)
    };
    let subcommand = names.iter().skip(1).find(|name| !name.starts_with(['+', '-']));
    match names[0] {
        "cargo" => match subcommand.copied() {
            Some("test" | "t") => return Some("cargo test"),
            Some("nextest") => return Some("nextest"),
            _ => {}
        },
        "cargo-nextest" => return Some("nextest"),
        "go" if subcommand.copied() == Some("test") => return Some("go test"),
        "mvn" | "mvnw" | "mvnw.cmd" | "mvnd" => return Some("maven"),
        "gradle" | "gradlew" | "gradlew.bat" => return Some("gradle"),
        _ => {}
    }
    let known = [
        ("pytest", "pytest"),
        ("py.test", "pytest"),
        ("jest", "jest"),
        ("vitest", "vitest"),
        ("mocha", "mocha"),
        ("rspec", "rspec"),
        ("phpunit", "phpunit"),
        ("unittest", "unittest"),
        ("ctest", "ctest"),
        ("playwright", "playwright"),
    ];
    let named = known.iter().find(|(name, _)| has(name) || is_script(name));
    let is_node_test = (names[0].starts_with("node") && texts.iter().any(|text| text == "--test"))
        || script.contains("node --test");
    named.map(|(_, runner)| *runner).or(is_node_test.then_some("node:test"))
}

/// Returns the last component of a path without the extensions of programs on Windows.
fn base_name(word: &str) -> &str {
    let name = word.rsplit(['/', '\\']).next().unwrap_or(word);
    name.strip_suffix(".exe").or(name.strip_suffix(".cmd")).unwrap_or(name)
}

/// Returns the script of `package.json` that `npm test` and the like run.
fn package_script(texts: &[String], directory: &Path) -> Option<String> {
    if !["npm", "yarn", "pnpm", "bun"].contains(&base_name(&texts[0])) {
        return None;
    }
    let mut words = texts[1..].iter().map(String::as_str).filter(|word| !word.starts_with('-'));
    let name = words.find(|word| !["run", "run-script"].contains(word))?;
    let name = if ["t", "tst"].contains(&name) { "test" } else { name };
    let text = small(&directory.join("package.json"))?;
    let package: serde_json::Value = serde_json::from_str(&text).ok()?;
    Some(package["scripts"][name].as_str()?.to_owned())
}

/// Returns the text of a file of the tree, if it is small.
fn small(path: &Path) -> Option<String> {
    let metadata = fs::metadata(path).ok()?;
    let is_small = metadata.is_file() && metadata.len() <= FILE_BYTES_MAX;
    is_small.then(|| fs::read_to_string(path).ok())?
}

fn python(plan: &mut Plan, names: &[&str], texts: &[String], hooks_dir: &Path) {
    let mut paths = vec![hooks_dir.join("pytest")];
    let is_unittest = plan.expected == Some("unittest")
        || names.contains(&"manage.py")
        || names.contains(&"runtests.py")
        || texts.iter().any(|text| text.contains("unittest"));
    if is_unittest {
        paths.push(hooks_dir.join("unittest"));
    }
    let before = std::env::var_os("PYTHONPATH").filter(|value| !value.is_empty());
    paths.extend(before.iter().flat_map(std::env::split_paths));
    if let Ok(joined) = std::env::join_paths(paths) {
        plan.environment.push(("PYTHONPATH", joined));
    }
}

fn node(plan: &mut Plan, names: &[&str], texts: &[String], script: &str, hooks_dir: &Path) {
    let mut options = extended("NODE_OPTIONS", "--require=", &hooks_dir.join("node.cjs"));
    if plan.expected == Some("node:test") {
        if script.contains("--test-reporter")
            || texts.iter().any(|text| text.starts_with("--test-reporter"))
        {
            plan.obstacle = Some("`--test-reporter` replaces all reporters of Node".to_owned());
        } else if let Some(default) = default_node_reporter(names, texts) {
            let reporter = quoted(&hooks_dir.join("node_test.mjs"));
            let report = quoted(&hooks_dir.with_file_name("node-test.jsonl"));
            options.push(format!(
                " --test-reporter={default} --test-reporter-destination=stdout \
                 --test-reporter={reporter} --test-reporter-destination={report}"
            ));
        } else {
            plan.obstacle = Some("this version of Node has no test reporters".to_owned());
        }
    }
    plan.environment.push(("NODE_OPTIONS", options));
    if std::env::var_os("PW_TEST_REPORTER").is_none() {
        plan.environment.push(("PW_TEST_REPORTER", hooks_dir.join("playwright.cjs").into()));
    }
}

/// Returns the reporter that Node's test runner uses on its own; `None` before the first version
/// that allows several reporters.
fn default_node_reporter(names: &[&str], texts: &[String]) -> Option<&'static str> {
    use std::io::IsTerminal as _;
    let program = if names[0].starts_with("node") { texts[0].as_str() } else { "node" };
    let version = printed(program, &["--version"], Path::new("."))?;
    let mut numbers = version.trim().trim_start_matches('v').split('.');
    let mut number = || numbers.next()?.parse::<u32>().ok();
    let (major, minor) = (number()?, number()?);
    if (major, minor) < (18, 17) || (major == 19 && minor < 9) {
        return None;
    }
    let is_spec = major >= 23 || std::io::stdout().is_terminal();
    Some(if is_spec { "spec" } else { "tap" })
}

/// Returns what a program prints about itself. It is asked once: `codedb test --watch` starts it often.
fn printed(program: &str, args: &[&str], directory: &Path) -> Option<String> {
    type Known = Vec<((String, PathBuf), Option<String>)>;
    static KNOWN: Mutex<Known> = Mutex::new(Vec::new());
    let key = (program.to_owned(), directory.to_path_buf());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, text)) = known.iter().find(|(of, _)| *of == key) {
        return text.clone();
    }
    let mut command = Command::new(program);
    let output = command.args(args).current_dir(directory).env_remove("NODE_OPTIONS").output();
    let text = output.ok().map(|output| String::from_utf8_lossy(&output.stdout).into_owned());
    known.push((key, text.clone()));
    text
}

/// Returns the value of an environment variable with a further option behind it.
fn extended(name: &str, option: &str, path: &Path) -> OsString {
    let mut value = std::env::var_os(name).filter(|value| !value.is_empty()).unwrap_or_default();
    if !value.is_empty() {
        value.push(" ");
    }
    value.push(option);
    value.push(quoted(path));
    value
}

/// Returns a path, in double quotes if it needs them.
fn quoted(path: &Path) -> String {
    let path = path.to_string_lossy();
    let is_plain = !path.contains([' ', '"', '\\', '\'']);
    if is_plain {
        path.into_owned()
    } else {
        format!("\"{}\"", path.replace('\\', "\\\\").replace('"', "\\\""))
    }
}

fn go(plan: &mut Plan, texts: &[String], directory: &Path, reports: &Path) -> Result<()> {
    let program = if base_name(&texts[0]) == "go" { texts[0].as_str() } else { "go" };
    let obstacle = |plan: &mut Plan, text: &str| plan.obstacle = Some(text.to_owned());
    let Some(settings) = printed(program, &["env", "GOROOT", "GOFLAGS"], directory) else {
        return Ok(());
    };
    let mut lines = settings.lines();
    let (Some(root), flags) = (lines.next().map(Path::new), lines.next().unwrap_or_default())
    else {
        return Ok(());
    };
    if flags.contains("-overlay") || texts.iter().any(|text| text.contains("-overlay")) {
        obstacle(plan, "`-overlay` is in use");
        return Ok(());
    }
    let mut replaced = serde_json::Map::new();
    for name in hooks::GO_FILES {
        let original = root.join("src/testing").join(name);
        let changed = small(&original).and_then(|text| hooks::go(name, &text));
        let Some(changed) = changed else {
            // Before Go 1.18 there is no fuzzing.
            if name == "testing.go" || original.exists() {
                obstacle(plan, "this version of Go has another package `testing`");
                return Ok(());
            }
            continue;
        };
        let path = reports.join("hooks/go").join(name);
        write(&path, &changed)?;
        replaced.insert(
            original.to_string_lossy().into_owned(),
            path.to_string_lossy().into_owned().into(),
        );
    }
    let overlay = reports.join("hooks/go/overlay.json");
    write(&overlay, &serde_json::json!({ "Replace": replaced }).to_string())?;
    let path = overlay.to_string_lossy();
    let flag =
        if path.contains(' ') { format!("'-overlay={path}'") } else { format!("-overlay={path}") };
    let flags = if flags.is_empty() { flag } else { format!("{flags} {flag}") };
    plan.environment.push(("GOFLAGS", flags.into()));
    Ok(())
}

fn nextest(plan: &mut Plan, texts: &[String], reports: &Path) -> Result<()> {
    let junit = reports.join("nextest.xml");
    let profile = texts
        .iter()
        .enumerate()
        .find_map(|(at, text)| match text.as_str() {
            "--profile" | "-P" => texts.get(at + 1).cloned(),
            other => other.strip_prefix("--profile=").map(str::to_owned),
        })
        .or_else(|| std::env::var("NEXTEST_PROFILE").ok())
        .unwrap_or_else(|| "default".to_owned());
    let is_plain = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '_';
    if !profile.chars().all(is_plain) {
        return Ok(());
    }
    let config = reports.join("hooks/nextest.toml");
    let path = serde_json::Value::from(junit.to_string_lossy().into_owned());
    write(&config, &format!("[profile.{profile}.junit]\npath = {path}\n"))?;
    let Some(at) = texts.iter().position(|text| text == "run" || text == "r") else {
        return Ok(());
    };
    let mut argument = OsString::from("--tool-config-file=codedb:");
    argument.push(&config);
    plan.inserted.push((at + 1, argument));
    plan.junit = Some(junit);
    Ok(())
}

fn phpunit(plan: &mut Plan, names: &[&str], texts: &[String], directory: &Path, reports: &Path) {
    let own = texts.iter().enumerate().find_map(|(at, text)| match text.as_str() {
        "--log-junit" => texts.get(at + 1).cloned(),
        other => other.strip_prefix("--log-junit=").map(str::to_owned),
    });
    if let Some(own) = own {
        plan.junit = Some(directory.join(own));
        return;
    }
    let configured = ["phpunit.xml", "phpunit.xml.dist", "phpunit.dist.xml"]
        .iter()
        .find_map(|name| small(&directory.join(name)));
    if let Some(path) = configured.as_deref().and_then(configured_junit) {
        plan.globs.push(path);
        return;
    }
    let Some(at) = names.iter().position(|name| *name == "phpunit") else { return };
    let junit = reports.join("phpunit.xml");
    plan.inserted.push((at + 1, "--log-junit".into()));
    plan.inserted.push((at + 2, junit.clone().into()));
    plan.junit = Some(junit);
}

/// Returns the file of `<junit outputFile="…"/>` in the configuration of PHPUnit.
fn configured_junit(text: &str) -> Option<String> {
    let element = &text[text.find("<junit ")?..];
    let element = &element[..element.find('>')?];
    let value = element.split_once("outputFile=\"")?.1.split('"').next()?;
    Some(value.trim_start_matches("./").to_owned())
}

fn write(path: &Path, text: &str) -> Result<()> {
    let failed = |error| Error::io(path, error);
    if let Some(above) = path.parent() {
        fs::create_dir_all(above).map_err(failed)?;
    }
    fs::write(path, text).map_err(failed)
}

/// Returns the command with the inserted arguments.
pub(super) fn command(plan: &Plan, words: &[OsString]) -> Command {
    let mut args: Vec<&OsStr> = words.iter().map(OsString::as_os_str).collect();
    for (at, argument) in &plan.inserted {
        args.insert((*at).min(args.len()), argument);
    }
    let mut command = Command::new(args[0]);
    command.args(&args[1..]).envs(plan.environment.iter().map(|(name, value)| (name, value)));
    command
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(command: &str, script: &str, runner: Option<&str>) {
        let texts: Vec<String> = command.split(' ').map(str::to_owned).collect();
        let names: Vec<&str> = texts.iter().map(|text| base_name(text)).collect();
        assert_eq!(expected(&names, &texts, script), runner, "{command}");
    }

    #[test]
    fn runners_are_recognised_by_their_commands() {
        check("pytest -q", "", Some("pytest"));
        check(".venv/bin/python -m pytest tests", "", Some("pytest"));
        check("python -m unittest discover", "", Some("unittest"));
        check("cargo +nightly test --all", "", Some("cargo test"));
        check("cargo -q nextest run", "", Some("nextest"));
        check("cargo build", "", None);
        check("go test ./...", "", Some("go test"));
        check("go vet ./...", "", None);
        check("npx jest", "", Some("jest"));
        check("npm test", "cross-env CI=1 vitest run", Some("vitest"));
        check("npm test", "node ./node_modules/mocha/bin/mocha.js", Some("mocha"));
        check("npm test", "node --test src", Some("node:test"));
        check("node --test", "", Some("node:test"));
        check("bundle exec rspec", "", Some("rspec"));
        check("php vendor/bin/phpunit", "", Some("phpunit"));
        check("./gradlew test", "", Some("gradle"));
        check("make check", "", None);
    }

    #[test]
    fn the_report_of_a_phpunit_configuration_is_found() {
        let text =
            "<phpunit><logging><junit outputFile=\"./build/junit.xml\"/></logging></phpunit>";
        assert_eq!(configured_junit(text).as_deref(), Some("build/junit.xml"));
        assert_eq!(configured_junit("<phpunit/>"), None);
    }
}
