//! Paths of every way to install the program, and the command that each leads to.

use super::*;

/// Returns the method of a program at a path, where only the paths `existing` exist.
fn method(program: &str, npm: Option<(&str, &str)>, existing: &[&str]) -> Method {
    let existing: Vec<&Path> = existing.iter().map(Path::new).collect();
    let surroundings = Surroundings {
        program: Path::new(program),
        launched_by: npm.map(|(by, _)| by.to_owned()),
        launcher: npm.map(|(_, launcher)| Path::new(launcher)),
        cargo_home: Some(PathBuf::from("/home/a/.cargo")),
        temporary: vec![PathBuf::from("/tmp"), PathBuf::from("/var/folders/x/T")],
        exists: &|path| existing.contains(&path),
    };
    surroundings.method()
}

#[test]
fn the_path_shows_how_the_program_was_installed() {
    let check = |program: &str, existing: &[&str], expected: Method| {
        assert_eq!(method(program, None, existing), expected, "{program}");
    };
    let venv = &["/home/a/.cache/uv/archive-v0/Xy1/pyvenv.cfg", "/home/a/p/.venv/pyvenv.cfg"];
    check("/home/a/.cache/uv/archive-v0/Xy1/bin/codedb", venv, Method::Uvx);
    check("/Users/a/Library/Caches/uv/archive-v0/Xy1/bin/codedb", &[], Method::Uvx);
    check("/big/uv-cache/environments-v2/codedb-1f/bin/codedb", &[], Method::Uvx);
    check("/home/a/.local/share/uv/tools/codedb-cli/bin/codedb", venv, Method::UvTool);
    check("/home/a/.local/share/pipx/venvs/codedb-cli/bin/codedb", venv, Method::Pipx);
    check("/home/a/p/.venv/bin/codedb", venv, Method::Venv);
    let brew = |prefix: &str| Method::Homebrew(PathBuf::from(prefix));
    check("/opt/homebrew/Cellar/codedb/0.3.0/bin/codedb", &[], brew("/opt/homebrew"));
    let linux = "/home/linuxbrew/.linuxbrew";
    check(&format!("{linux}/Cellar/codedb/0.3.0/bin/codedb"), &[], brew(linux));
    check("/home/a/.cargo/bin/codedb", &[], Method::Cargo);
    check("/usr/bin/codedb", &[], Method::System);
    let build = "/home/a/codedb/target/release";
    check(&format!("{build}/codedb"), &[&format!("{build}/.fingerprint")], Method::Build);
    check("/tmp/x/codedb", &[], Method::Temporary);
    check("/var/folders/x/T/codedb", &[], Method::Temporary);
    check("/usr/local/bin/codedb", &[], Method::Other);
    check("/home/a/bin/codedb", &[], Method::Other);
    check("/home/a/archive-vault/bin/codedb", &[], Method::Other);
}

#[test]
fn the_script_of_npm_shows_what_started_it() {
    let native = "node_modules/@codedb/linux-x64/bin/codedb";
    let script = "node_modules/codedb/bin/codedb.js";
    let check = |base: &str, by: &str, existing: &[&str], expected: Method| {
        let (program, launcher) = (format!("{base}/{native}"), format!("{base}/{script}"));
        assert_eq!(method(&program, Some((by, &launcher)), existing), expected, "{base} {by}");
    };
    let npx = "/home/a/.npm/_npx/0f3e";
    let npx_files =
        ["/home/a/.npm/_npx/0f3e/package.json", "/home/a/.npm/_npx/0f3e/node_modules/.bin/codedb"];
    check(npx, "npx", &npx_files, Method::Npx);
    check(npx, "npm", &npx_files, Method::Npx);
    check("/usr/lib", "npm", &[], Method::NpmGlobal);
    check("/home/a/.nvm/versions/node/v22/lib", "npm", &[], Method::NpmGlobal);
    let project = ["/home/a/app/package.json", "/home/a/app/node_modules/.bin/codedb"];
    let local = PathBuf::from("/home/a/app/node_modules/.bin/codedb");
    check("/home/a/app", "npm", &project, Method::NpmProject(local.clone()));
    let bunx = ["/tmp/bunx-0-codedb/package.json", "/tmp/bunx-0-codedb/node_modules/.bin/codedb"];
    check("/tmp/bunx-0-codedb", "npx", &bunx, Method::Npx);
    check("/elsewhere", "npx", &[], Method::Npx);
    // Without the script, the path of the program is enough.
    let program = format!("/home/a/app/{native}");
    assert_eq!(method(&program, None, &project), Method::NpmProject(local));
    assert_eq!(method(&format!("{npx}/{native}"), None, &[]), Method::Npx);
    // pnpm keeps packages in a store of the project.
    let stored = "/home/a/app/node_modules/.pnpm/codedb@0.3.0";
    let expected = PathBuf::from("/home/a/app/node_modules/.bin/codedb");
    check(stored, "npm", &project, Method::NpmProject(expected));
}

/// Returns an installation whose program is on PATH or not.
fn installed(method: Method, program: &str, is_on_path: bool) -> Installation {
    let program = PathBuf::from(program);
    Installation { method, on_path: Some(program.clone()), program, is_on_path }
}

#[test]
fn the_registered_command_survives_an_upgrade() {
    let words = |launch: Result<Launch>| -> String {
        launch.expect("it is UTF-8").iter().collect::<Vec<_>>().join(" ")
    };
    let check = |of: Installation, user: &str, project: &str, hook: &str| {
        assert_eq!(words(of.launch(false)), user, "{of:?}");
        assert_eq!(words(of.launch(true)), project, "{of:?}");
        assert_eq!(words(of.hook_launch()), hook, "{of:?}");
    };
    let npx = installed(Method::Npx, "/home/a/.npm/_npx/0/codedb", true);
    check(npx, "npx -y codedb@latest", "npx -y codedb@latest", "npx -y codedb");
    let uvx = installed(Method::Uvx, "/home/a/.cache/uv/archive-v0/0/bin/codedb", true);
    check(uvx, "uvx codedb-cli@latest", "uvx codedb-cli@latest", "uvx codedb-cli");
    let local = PathBuf::from("/a/node_modules/.bin/codedb");
    let project = installed(Method::NpmProject(local), "/a/node_modules/@codedb/x/codedb", false);
    let by_npx = "npx --no-install codedb";
    check(project, "/a/node_modules/.bin/codedb", by_npx, by_npx);
    check(installed(Method::NpmGlobal, "/usr/lib/x/codedb", true), "codedb", "codedb", "codedb");
    check(installed(Method::Cargo, "/c/bin/codedb", true), "codedb", "codedb", "codedb");
    let path = "/c/bin/codedb";
    check(installed(Method::Cargo, path, false), path, path, path);
    let venv = "/p/.venv/bin/codedb";
    check(installed(Method::Venv, venv, true), venv, venv, venv);
    let brew = Method::Homebrew(PathBuf::from("/nowhere"));
    let cellar = "/nowhere/Cellar/codedb/0.3.0/bin/codedb";
    let linked = "/nowhere/bin/codedb";
    check(installed(brew.clone(), cellar, false), linked, linked, linked);
    check(installed(brew, cellar, true), "codedb", "codedb", "codedb");
}
