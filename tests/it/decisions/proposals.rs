//! Proposals from what people wrote and what a repository uses.

use super::{git, ingest};
use crate::support::place::Place;

/// A repository whose people wrote down what they decided.
fn documented() -> Place {
    let place = Place::new();
    git(&place, &["init", "-q", "-b", "main"]);
    place.write(
        "package.json",
        "{\"name\": \"shop\", \"scripts\": {\"lint\": \"eslint .\", \"test\": \"vitest\"}}\n",
    );
    place.write("pnpm-lock.yaml", "lockfileVersion: '9.0'\n");
    place.write("examples/old/yarn.lock", "# yarn\n");
    place.write("examples/old/CONTRIBUTING.md", "Never use `pnpm` in `examples`.\n");
    place.write("clippy.toml", "disallowed-methods = [{ path = \"std::env::set_var\", reason = \"It races with other threads.\" }]\n");
    place.write("eslint.config.js", "export default [{ rules: { 'no-restricted-imports': ['error', { paths: [{ name: 'lodash', message: 'Use es-toolkit, it is smaller.' }] }] } }];\n");
    place.write(
        "CONTRIBUTING.md",
        "# Contributing\n\nThank you for your help! Please open an issue first.\n\n## Code\n\n\
         - Never call `Date.now()` in tests. It makes them depend on the clock.\n\
         - Write clean code.\n- Put new scripts in `tools/gone.js`, never in `src/`.\n\n\
         ## License\n\nYou must license it under `MIT`.\n",
    );
    place.write(
        "docs/adr/0002-use-ulids.md",
        "# 2. Use ULIDs for `Order` ids\n\n## Status\n\nAccepted\n\n## Decision\n\nIds sort by time.\n",
    );
    place
        .write("docs/adr/0001-use-uuids.md", "# 1. Use UUIDs for ids\n\n## Status\n\nSuperseded\n");
    place.write(
        ".github/workflows/ci.yml",
        "jobs:\n  a:\n    steps:\n      - run: pnpm install\n      - run: |\n          pnpm codegen\n          git diff --exit-code\n",
    );
    place.write("src/a.ts", "// Keep in sync with `src/b.ts`.\nexport const a = 1;\n");
    place.write("src/b.ts", "export const b = 1;\n");
    git(&place, &["add", "-A"]);
    git(&place, &["commit", "-q", "-m", "Begin"]);
    place.write("README.md", "# Shop\n");
    git(&place, &["add", "-A"]);
    let why = "Switch to pnpm\n\nnpm is replaced because its installs take minutes.";
    git(&place, &["commit", "-q", "-m", why]);
    place
}

#[test]
fn rules_that_people_wrote_are_proposed_with_their_reasons() {
    let place = documented();
    let dry = ingest(&place, &["--provider", "none", "--dry-run"]);
    let all = dry["proposals"].as_array().expect("a list");
    let found = |pattern: &str| {
        let of = all.iter().find(|it| it["pattern"] == pattern);
        let of = of.unwrap_or_else(|| panic!("{pattern}: {all:#?}"));
        (of["scope"].as_str().unwrap_or_default(), of["rationale"].as_str().unwrap_or_default())
    };
    for (pattern, scope, why) in [
        ("Never call `Date.now()` in tests", "global", "depend on the clock"),
        ("Do not use `std::env::set_var`", "path:**/*.rs", "races with other threads"),
        (
            "Do not use `lodash`",
            "path:**/*.{js,jsx,ts,tsx,mjs,cjs,mts,cts,vue}",
            "Use es-toolkit, it is smaller",
        ),
        ("Use ULIDs for `Order` ids", "global", "Ids sort by time."),
        (
            "Install packages and run scripts with `pnpm`, not with `npm` and `yarn`",
            "global",
            "its installs take minutes",
        ),
        (
            "Run `pnpm lint` before a change is finished",
            "path:**/*.{js,jsx,ts,tsx,mjs,cjs,mts,cts,vue}",
            "eslint .",
        ),
        ("Run `pnpm codegen` and commit what it changes", "global", "CI runs it"),
        ("Change `src/b.ts` together with `src/a.ts`", "path:src/b.ts", "Keep in sync"),
    ] {
        let (of, rationale) = found(pattern);
        assert_eq!(of, scope, "{pattern}");
        assert!(rationale.contains(why), "{pattern}: {rationale}");
    }
    let text = dry["proposals"].to_string();
    for absent in [
        "examples",
        "Thank you",
        "issue first",
        "clean code",
        "tools/gone.js",
        "MIT",
        "UUIDs",
        "yarn.lock",
    ] {
        assert!(!text.contains(absent), "{absent}: {text}");
    }
    assert!(all.len() <= 20);
}

#[test]
fn the_package_manager_is_the_one_that_the_repository_uses() {
    let managers = |files: &[(&str, &str)]| -> Vec<String> {
        let place = Place::new();
        place.write("package.json", "{\"name\": \"x\"}\n");
        for (path, text) in files {
            place.write(path, text);
        }
        git(&place, &["init", "-q", "-b", "main"]);
        git(&place, &["add", "-A"]);
        git(&place, &["commit", "-q", "-m", "Begin"]);
        let dry = ingest(&place, &["--provider", "none", "--dry-run"]);
        let all = dry["proposals"].as_array().expect("a list");
        let patterns = all.iter().filter_map(|it| it["pattern"].as_str());
        let of =
            patterns.filter_map(|it| it.strip_prefix("Install packages and run scripts with `"));
        of.filter_map(|it| Some(it.split('`').next()?.to_owned())).collect()
    };
    let none: &[&str] = &[];
    let ci = |command: &'static str| (".github/workflows/ci.yml", command);
    // One lock file; two, of which CI uses one; two without CI; none, with CI; that of an example.
    assert_eq!(managers(&[("yarn.lock", "")]), ["yarn"]);
    let both = [("yarn.lock", ""), ("package-lock.json", "{}")];
    assert_eq!(managers(&[both[0], both[1], ci("- run: yarn install\n")]), ["yarn"]);
    assert_eq!(managers(&[both[0], both[1], ci("- run: npm ci\n")]), none);
    assert_eq!(managers(&both), none);
    assert_eq!(managers(&[ci("- run: pnpm install\n")]), ["pnpm"]);
    assert_eq!(managers(&[("examples/a/yarn.lock", "")]), none);
    // A field of the manifest decides, and a guide is better than nothing.
    let field = ("package.json", "{\n\"packageManager\": \"pnpm@9.0.0\"}\n");
    assert_eq!(managers(&[both[0], field]), ["pnpm"]);
    assert_eq!(managers(&[("CONTRIBUTING.md", "Run `bun install` first.\n")]), ["bun"]);
    let python = [("pyproject.toml", "[project]\nname = \"x\"\n"), ("uv.lock", "")];
    assert_eq!(managers(&python), ["uv"]);
}
