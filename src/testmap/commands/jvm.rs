//! JUnit and TestNG, by Maven or Gradle.

use std::collections::BTreeSet;

use super::super::detect::Test;
use super::{Located, Read, in_chunks, names, nearest, quoted};

/// Returns `pom:` or `gradle:` with the directory of the project of a file; empty without one.
pub(super) fn project(folder: &str, read: Read<'_>) -> String {
    let maven = nearest(folder, "pom.xml", read);
    let gradle =
        || ["build.gradle", "build.gradle.kts"].iter().find_map(|name| nearest(folder, name, read));
    maven
        .map(|(project, _)| format!("pom:{project}"))
        .or_else(|| gradle().map(|(project, _)| format!("gradle:{project}")))
        .unwrap_or_default()
}

pub(super) fn gradle(read: Read<'_>) -> &'static str {
    if read("gradlew").is_some() { "./gradlew" } else { "gradle" }
}

pub(super) fn commands(unit: &str, tests: &[Located<'_>], read: Read<'_>) -> Vec<String> {
    let classes = || -> Vec<String> {
        let all: BTreeSet<String> = tests.iter().filter_map(|(_, test)| class(test)).collect();
        all.into_iter().collect()
    };
    if let Some(project) = unit.strip_prefix("pom:") {
        let Some(start) = maven(project) else { return Vec::new() };
        let id = |(path, test): &Located<'_>| {
            // Parameters of JUnit 4 belong to the name.
            let has_parameters =
                read(path).is_some_and(|text| text.contains("Parameterized.class"));
            let any = if has_parameters { "[*]" } else { "" };
            Some(format!("{}#{}{any}", class(test)?, method(test)?))
        };
        let ids = names(tests, &id).unwrap_or_else(classes);
        let Some(all) = quoted(&ids.join(",")).filter(|_| !ids.is_empty()) else {
            return vec![start];
        };
        if all.len() < super::LENGTH_MAX {
            return vec![format!("{start} -Dtest={all}")];
        }
        let several = ids.chunks(100).filter_map(|ids| quoted(&ids.join(",")));
        return several.map(|all| format!("{start} -Dtest={all}")).collect();
    }
    let Some(project) = unit.strip_prefix("gradle:") else { return Vec::new() };
    let has_projects = ["settings.gradle", "settings.gradle.kts"]
        .iter()
        .any(|name| read(name).is_some_and(|text| text.contains("include")));
    let task = match project {
        "" if has_projects => Some(":test".to_owned()),
        "" => Some("test".to_owned()),
        project => quoted(&format!(":{}:test", project.replace('/', ":"))),
    };
    let Some(task) = task else { return Vec::new() };
    let start = format!("{} {task}", gradle(read));
    let id = |(_, test): &Located<'_>| quoted(&format!("{}.{}", class(test)?, method(test)?));
    let ids = names(tests, &id)
        .unwrap_or_else(|| classes().iter().filter_map(|class| quoted(class)).collect());
    let ids: Vec<String> = ids.into_iter().map(|id| format!("--tests {id}")).collect();
    if ids.is_empty() { vec![start] } else { in_chunks(&start, &ids) }
}

/// Returns the command for a module and the modules that it needs; `None` if it cannot be quoted.
fn maven(project: &str) -> Option<String> {
    Some(match project {
        "" => "mvn test".to_owned(),
        project => format!(
            "mvn test -pl {} -am -DfailIfNoTests=false -Dsurefire.failIfNoSpecifiedTests=false",
            quoted(project)?
        ),
    })
}

/// Returns the binary name of the class of a test: `a.Outer$Inner`.
fn class(test: &Test) -> Option<String> {
    let of = test.id.rsplit_once('#')?.0;
    let classes = test.groups.join(".");
    let binary = match of.strip_suffix(classes.as_str()) {
        Some(package) if !classes.is_empty() => format!("{package}{}", test.groups.join("$")),
        _ => of.to_owned(),
    };
    let is_name = |c: char| c.is_alphanumeric() || "_.$".contains(c);
    binary.chars().all(is_name).then_some(binary)
}

/// Returns the name of a method, if the syntax of both runners can express it.
fn method(test: &Test) -> Option<String> {
    let is_name = |c: char| c.is_alphanumeric() || c == '_' || c == ' ' || c == '$';
    test.name.chars().all(is_name).then(|| test.name.clone())
}
