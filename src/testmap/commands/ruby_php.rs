//! RSpec, minitest, test-unit, PHPUnit and ExUnit.

use std::collections::BTreeMap;

use super::pattern::{literal, whole};
use super::{Located, Read, in_chunks, names, plain, quoted, quoted_files, within};

/// Returns the prefix of Ruby's commands in a project with a Gemfile.
pub(super) fn bundle(read: Read<'_>) -> &'static str {
    if read("Gemfile").is_some() { "bundle exec " } else { "" }
}

pub(super) fn rspec(tests: &[Located<'_>], read: Read<'_>) -> Vec<String> {
    let ids = names(tests, &|(_, test)| quoted(&test.id));
    let ids = ids.unwrap_or_else(|| quoted_files("", tests));
    in_chunks(&format!("{}rspec", bundle(read)), &ids)
}

pub(super) fn mix(project: &str, tests: &[Located<'_>]) -> Vec<String> {
    let below =
        |id: &str| id.strip_prefix(project).unwrap_or(id).trim_start_matches('/').to_owned();
    let ids = names(tests, &|(_, test)| quoted(&below(&test.id)));
    let ids = ids.unwrap_or_else(|| quoted_files(project, tests));
    within(project, "mix test").map(|start| in_chunks(&start, &ids)).unwrap_or_default()
}

/// Returns the command that runs all tests of minitest and test-unit.
pub(super) fn all_minitest(read: Read<'_>) -> String {
    if read("bin/rails").is_some() {
        return "bin/rails test".to_owned();
    }
    let bundle = bundle(read);
    if read("Rakefile").is_some() {
        return format!("{bundle}rake test");
    }
    format!(
        "{bundle}ruby -Ilib -Itest -e 'Dir[%(./test/**/*_test.rb)].sort.each {{ |f| require f }}'"
    )
}

pub(super) fn minitest(tests: &[Located<'_>], read: Read<'_>) -> Vec<String> {
    if read("bin/rails").is_some() {
        let place = |(path, test): &Located<'_>| quoted(&format!("{path}:{}", test.line));
        let ids = names(tests, &place).unwrap_or_else(|| quoted_files("", tests));
        return in_chunks("bin/rails test", &ids);
    }
    let mut by_file: BTreeMap<&str, Vec<Located<'_>>> = BTreeMap::new();
    for &(path, test) in tests {
        by_file.entry(path).or_default().push((path, test));
    }
    let start = format!("{}ruby -Ilib -Itest", bundle(read));
    let mut found = Vec::new();
    for (path, tests) in by_file {
        let Some(file) = quoted(path) else { continue };
        let text = read(path).unwrap_or_default();
        let is_test_unit = text.contains("test/unit") || text.contains("test-unit");
        let pattern = |(_, test): &Located<'_>| {
            let is_method = test.id.contains('#');
            let method = if is_method {
                literal(&test.name)
            } else if text.contains("describe ") {
                // minitest/spec numbers its methods.
                format!("test_[0-9]+_{}", literal(&test.name))
            } else {
                format!(
                    "test_{}",
                    literal(&test.name.split_whitespace().collect::<Vec<_>>().join("_"))
                )
            };
            if is_test_unit || test.groups.is_empty() {
                return Some(method);
            }
            Some(format!("{}#{method}", literal(&test.groups.join("::"))))
        };
        found.push(match names(&tests, &pattern) {
            Some(names) => format!("{start} {file} -n '/{}/'", whole(&names)),
            None => format!("{start} {file}"),
        });
    }
    found
}

pub(super) fn phpunit(project: &str, tests: &[Located<'_>], read: Read<'_>) -> Vec<String> {
    let has_manifest = read(&super::joined(project, "composer.json")).is_some();
    let program = if has_manifest { "vendor/bin/phpunit" } else { "phpunit" };
    let Some(start) = within(project, program) else { return Vec::new() };
    let mut by_file: BTreeMap<&str, Vec<Located<'_>>> = BTreeMap::new();
    for &(path, test) in tests {
        by_file.entry(path).or_default().push((path, test));
    }
    let mut found = Vec::new();
    for (_, tests) in by_file {
        let Some(file) = quoted_files(project, &tests).into_iter().next() else { continue };
        let pattern = |(_, test): &Located<'_>| {
            let class = plain(test.groups.last()?)?;
            let is_name = |c: char| c.is_alphanumeric() || c == '_';
            test.name.chars().all(is_name).then(|| format!("{class}::{}", test.name))
        };
        found.push(match names(&tests, &pattern) {
            Some(names) => {
                let names = if names.len() == 1 {
                    names[0].clone()
                } else {
                    format!("({})", names.join("|"))
                };
                // Names are preceded by the namespace, and followed by the data set.
                format!("{start} --filter '/\\b{names}( with data set .*)?$/' {file}")
            }
            None => format!("{start} {file}"),
        });
    }
    found
}
