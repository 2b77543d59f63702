//! The source roots of a Python project, by its manifests.

use toml::{Table, Value};

use super::super::manifest::Kind;
use super::super::tree::join;

/// Usual source directories.
const USUAL: &[&str] = &["src", "lib", "python"];

/// Returns the source roots of the project in `directory`: those in the manifest, the directory
/// itself, and the usual ones.
pub(super) fn roots(kind: Kind, directory: &[u8], text: &str) -> Vec<Vec<u8>> {
    let named = match kind {
        Kind::PyProject => of_pyproject(text),
        Kind::SetupCfg => of_lines(text),
        _ => of_program(text),
    };
    let usual = USUAL.iter().map(|&directory| directory.to_owned());
    let all = named.into_iter().chain([String::new()]).chain(usual);
    let mut roots: Vec<Vec<u8>> = Vec::new();
    for root in all.filter_map(|root| join(directory, &root)) {
        if !roots.contains(&root) {
            roots.push(root);
        }
    }
    roots
}

fn of_pyproject(text: &str) -> Vec<String> {
    let table: Table = toml::from_str(text).unwrap_or_default();
    let get = |keys: &[&str]| {
        let mut value = table.get(*keys.first()?)?;
        for key in &keys[1..] {
            value = value.get(key)?;
        }
        Some(value)
    };
    let mut roots = Vec::new();
    let setuptools = ["tool", "setuptools"];
    roots.extend(texts(get(&[&setuptools[..], &["packages", "find", "where"]].concat())));
    roots.extend(texts(get(&[&setuptools[..], &["package-dir", ""]].concat())));
    for package in array(get(&["tool", "poetry", "packages"])) {
        roots.extend(texts(package.get("from")));
    }
    // Hatch lists packages, whose parents are the roots.
    for package in texts(get(&["tool", "hatch", "build", "targets", "wheel", "packages"])) {
        roots.push(package.rsplit_once('/').map_or("", |(parent, _)| parent).to_owned());
    }
    roots.extend(texts(get(&["tool", "hatch", "build", "targets", "wheel", "sources"])));
    roots.extend(texts(get(&["tool", "maturin", "python-source"])));
    roots.extend(texts(get(&["tool", "pdm", "build", "package-dir"])));
    roots.extend(texts(get(&["tool", "uv", "build-backend", "module-root"])));
    roots.extend(texts(get(&["tool", "pytest", "ini_options", "pythonpath"])));
    roots
}

fn array(value: Option<&Value>) -> &[Value] {
    value.and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

/// Returns the strings of an array, or a single string.
fn texts(value: Option<&Value>) -> Vec<String> {
    match value {
        Some(Value::String(text)) => vec![text.clone()],
        value => array(value).iter().filter_map(Value::as_str).map(str::to_owned).collect(),
    }
}

/// `setup.cfg`: `where = src` below `[options.packages.find]`, and `= src` below `package_dir`.
fn of_lines(text: &str) -> Vec<String> {
    let mut roots = Vec::new();
    let mut in_package_dir = false;
    for line in text.lines() {
        let (key, value) = line
            .split_once('=')
            .map_or((line.trim(), ""), |(key, value)| (key.trim(), value.trim()));
        let is_indented = line.starts_with([' ', '\t']);
        let is_root = match key {
            "where" => !value.is_empty(),
            "" => in_package_dir && is_indented && !value.is_empty(),
            _ => false,
        };
        if is_root {
            roots.push(value.to_owned());
        }
        if key == "package_dir" {
            in_package_dir = true;
            // `package_dir = =src` on one line.
            let root = value.trim_start_matches('=').trim();
            if value.starts_with('=') && !root.is_empty() {
                roots.push(root.to_owned());
            }
        } else if !is_indented {
            in_package_dir = false;
        }
    }
    roots
}

/// `setup.py`: the literals of `package_dir={"": "src"}`, `find_packages("src")` and `where="src"`.
fn of_program(text: &str) -> Vec<String> {
    let mut roots = Vec::new();
    for mark in ["package_dir", "find_packages(", "find_namespace_packages(", "where"] {
        for (at, _) in text.match_indices(mark) {
            let rest = &text[at + mark.len()..];
            let rest = rest.trim_start_matches([' ', '=', '{', '\n', '\t']);
            // The root is the value of the empty key.
            let rest = rest.strip_prefix("\"\"").or_else(|| rest.strip_prefix("''"));
            let rest = match rest {
                Some(rest) => rest.trim_start_matches([' ', ':']),
                None if mark == "package_dir" => continue,
                None => text[at + mark.len()..].trim_start_matches([' ', '=']),
            };
            let rest =
                rest.strip_prefix("where").map_or(rest, |rest| rest.trim_start_matches([' ', '=']));
            let Some(quote) = rest.chars().next().filter(|&first| "\"'".contains(first)) else {
                continue;
            };
            if let Some((root, _)) = rest[1..].split_once(quote) {
                roots.push(root.to_owned());
            }
        }
    }
    roots
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn manifests_name_roots() {
        let pyproject = r#"
            [tool.setuptools]
            package-dir = {"" = "one"}
            [tool.setuptools.packages.find]
            where = ["two"]
            [[tool.poetry.packages]]
            include = "x"
            from = "three"
            [tool.hatch.build.targets.wheel]
            packages = ["four/pkg", "pkg"]
        "#;
        assert_eq!(of_pyproject(pyproject), ["two", "one", "three", "four", ""]);
        assert_eq!(of_pyproject("[tool"), Vec::<String>::new());
        let cfg = "[options]\npackage_dir =\n    = one\n    x = y\nzip_safe = no\n\
                   [options.packages.find]\nwhere = two\n";
        assert_eq!(of_lines(cfg), ["one", "two"]);
        assert_eq!(of_lines("package_dir = =src"), ["src"]);
        let program = "setup(package_dir={'': 'one'}, packages=find_packages(\"two\"))\n\
                       find_packages(where='three')";
        assert_eq!(of_program(program), ["one", "two", "three", "three"]);
        assert_eq!(roots(Kind::SetupPy, b"a", "")[..2], [b"a".to_vec(), b"a/src".to_vec()]);
    }
}
