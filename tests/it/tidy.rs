//! The invariants of ARCHITECTURE.md that can be checked by reading the tracked files.
//!
//! Each rule has a list of files that are exempt from it, with the reason for each.

mod layers;
mod modules;
mod wording;

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use modules::ModuleTree;

/// The maximum number of lines of a file; longer files are split.
const LINES_MAX: usize = 800;

/// Files that may contain `unsafe`, each with a SAFETY note.
const UNSAFE: &[&str] = &[
    "core/src/index/map.rs",      // Memory maps of the immutable index files.
    "core/src/index/extract.rs", // A function compiled for a processor feature that is checked at run time.
    "core/src/base/memory.rs",   // A function of the C library.
    "src/cli/search/searcher.rs", // The library's choice of memory maps.
    "src/mcp/streams/ready.rs",  // A descriptor that the runtime polls.
];

/// Files that use the text of a file as it is, with its secrets, and show nothing of it.
const ORIGINALS: &[&str] = &[
    "core/src/source/",               // Reads, caches and writes it.
    "core/src/catalog.rs",            // Compares hashes and extracts facts.
    "core/src/catalog/interface.rs",  // Hashes it.
    "src/fleet/view.rs",              // Extracts facts, and cuts contents.
    "src/tools/changes.rs",           // Compares hashes.
    "src/tools/edit.rs",              // Edits it; its diff is made of masked texts.
    "src/tools/outline.rs",           // Compares hashes and detects the language.
    "src/tools/query/search.rs",      // Matches it; lines are quoted from the masked text.
    "src/tools/read.rs",              // Hashes it and detects language and format.
    "src/tools/search.rs",            // Matches it; lines are quoted from the masked text.
    "src/tools/search/candidates.rs", // Matches it.
    "src/tools/search/structure.rs",  // Matches it as well.
    "src/tools/tree/folders.rs",      // Counts lines.
    "src/tools/word.rs",              // Matches it; lines are quoted from the masked text.
];

/// Paths of a development machine, split so that this file passes.
const MACHINE_PATHS: &[&str] =
    &[concat!("/wo", "rk/"), concat!("/tmp/", "trees"), concat!("/tmp/", "wt/")];

#[test]
fn only_the_command_line_prints_and_names_clap() {
    let words = [
        "println!",
        "eprintln!",
        "print!",
        "eprint!",
        "dbg!",
        "stdout()",
        "stderr()",
        "clap::",
        "use clap",
    ];
    complain(sources().filter(|file| !file.is_under(&["src/cli/"])), |line| {
        words.iter().find(|word| names(line, word)).map(|word| format!("`{word}` outside src/cli"))
    });
}

#[test]
fn the_environment_is_read_at_the_edge() {
    let words = ["std::env", "env::var", "env::var_os", "env::current_dir", "home_dir("];
    let edge = ["src/cli/", "src/mcp/", "src/main.rs"];
    complain(sources().filter(|file| !file.is_under(&edge)), |line| {
        words.iter().find(|word| names(line, word)).map(|word| format!("`{word}` below the edge"))
    });
}

#[test]
fn only_the_protocol_server_names_rmcp() {
    complain(sources().filter(|file| !file.is_under(&["src/mcp/"])), |line| {
        names(line, "rmcp").then(|| "`rmcp` outside src/mcp".to_owned())
    });
}

#[test]
fn texts_are_quoted_with_secrets_masked() {
    complain(sources().filter(|file| !file.is_under(ORIGINALS)), |line| {
        let words = [".original()", ".original_utf8()"];
        let word = words.iter().find(|word| line.contains(**word));
        word.map(|word| format!("`{word}` in a file that is not listed"))
    });
}

#[test]
fn only_the_index_sees_the_text_of_chains() {
    let own = ["core/src/lang/chain.rs", "core/src/lang/chain/", "core/src/index/code/"];
    complain(sources().filter(|file| !file.is_under(&own)), |line| {
        let words = ["chain::stored", "stored::text(", "stored::chain("];
        let word = words.iter().find(|word| names(line, word));
        word.map(|word| format!("`{word}`: ask `lang::chain` what the chain is"))
    });
}

#[test]
fn no_todo_is_left() {
    let words = ["todo!", "unimplemented!"];
    complain(sources(), |line| {
        words.iter().find(|word| names(line, word)).map(|word| format!("`{word}`"))
    });
}

#[test]
fn unsafe_stays_in_named_files() {
    complain(sources().filter(|file| !UNSAFE.contains(&file.name.as_str())), |line| {
        let word = ["unsafe {", "unsafe fn", "unsafe impl", "unsafe extern", "expect(unsafe_code"];
        word.iter()
            .find(|word| names(line, word))
            .map(|_| "`unsafe` in a file that is not listed".to_owned())
    });
}

#[test]
fn only_commands_and_the_page_of_decisions_stand_for_a_person() {
    for (word, home) in [
        ("Person::at_a_terminal(", "src/cli/decisions"),
        ("Person::at_a_page(", "src/ui/pages/decisions.rs"),
    ] {
        complain(sources().filter(|file| !file.name.starts_with(home)), |line| {
            names(line, word).then(|| format!("`{word}` outside of {home}"))
        });
    }
}

#[test]
fn only_the_parsers_module_parses() {
    let words = ["lang::facts(", "lang::outline("];
    complain(sources().filter(|file| file.name != "core/src/parsers.rs"), |line| {
        words.iter().find(|word| names(line, word)).map(|word| format!("`{word}` outside parsers"))
    });
}

/// The files of the graph that hold numbers of confidence.
const WEIGHTS: &[&str] = &["core/src/graph/weights.rs", "core/src/graph/link/calibration.rs"];

/// A file of the graph with other numbers.
const NUMBERS: &[&str] = &["core/src/graph/rank.rs"]; // The damping of PageRank, and when it stops.

#[test]
fn confidences_stand_in_one_file() {
    let is_exempt = |name: &str| WEIGHTS.contains(&name) || NUMBERS.contains(&name);
    let graph = sources().filter(|file| file.is_under(&["core/src/graph/"]));
    complain(graph.filter(|file| !is_exempt(&file.name)), |line| {
        let code = line.split(" // ").next().unwrap_or_default();
        let words =
            code.split(|it: char| !it.is_alphanumeric() && it != '.' && it != '_' && it != '-');
        let is_float = |word: &&str| {
            word.starts_with(|first: char| first.is_ascii_digit())
                && (word.contains('.') && !word.contains("..") || word.contains("e-"))
                && word.parse::<f64>().is_ok_and(|number| number != 0.0 && number != 1.0)
        };
        words.into_iter().find(is_float).map(|word| format!("`{word}` is no named weight"))
    });
}

#[test]
fn every_module_has_a_doc_comment() {
    let silent: Vec<String> = tracked()
        .filter(|file| file.name.ends_with(".rs") && !file.text.starts_with("//! "))
        .map(|file| file.name)
        .collect();
    assert!(silent.is_empty(), "no module doc (`//! …`) on the first line of {silent:?}");
}

#[test]
fn no_file_is_too_long() {
    let long: Vec<String> = tracked()
        .filter(|file| file.name.ends_with(".rs") && file.text.lines().count() > LINES_MAX)
        .map(|file| format!("{}: {} lines", file.name, file.text.lines().count()))
        .collect();
    assert!(long.is_empty(), "over {LINES_MAX} lines: {long:?}");
}

#[test]
fn no_path_of_one_machine_is_tracked() {
    let found: Vec<String> = tracked()
        .flat_map(|file| {
            let here = MACHINE_PATHS.iter().filter(|path| file.text.contains(**path));
            here.map(|path| format!("{}: {path}", file.name)).collect::<Vec<_>>()
        })
        .collect();
    assert!(found.is_empty(), "{found:?}");
}

/// The maximum number of words of all pages that people write.
const WRITTEN_WORDS_MAX: usize = 28_770;

/// The maximum number of words of the pages below docs/ that tests write.
const GENERATED_WORDS_MAX: usize = 18_000;

#[test]
fn a_reader_finishes_the_documents() {
    let pages: Vec<TrackedFile> = tracked().filter(|file| file.name.ends_with(".md")).collect();
    let is_generated = |file: &&TrackedFile| {
        file.is_under(&["docs/tools/", "docs/clients/"]) || file.name == "docs/tools.md"
    };
    let is_word = |word: &&str| word.contains(char::is_alphanumeric);
    let words = |file: &TrackedFile| file.text.split_whitespace().filter(is_word).count();
    let generated: usize = pages.iter().filter(is_generated).map(words).sum();
    let written: usize = pages.iter().filter(|file| !is_generated(file)).map(words).sum();
    assert!(written <= WRITTEN_WORDS_MAX, "{written} words are written");
    assert!(generated <= GENERATED_WORDS_MAX, "{generated} words are generated");
    let cells = pages.iter().filter(|file| !is_generated(file)).flat_map(|file| {
        let rows = file.text.lines().filter(|line| line.starts_with('|'));
        let cells = rows.flat_map(|row| row.split(" | "));
        cells
            .filter(|cell| cell.chars().count() > CELL_CHARS_MAX)
            .map(|cell| format!("{}: {cell}", file.name))
    });
    let long: Vec<String> = cells.collect();
    assert!(long.is_empty(), "cells of tables with more than 200 characters:\n{}", long.join("\n"));
}

/// The maximum length of a cell of a table.
const CELL_CHARS_MAX: usize = 200;

#[test]
fn links_between_pages_lead_to_files() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut broken = Vec::new();
    for page in tracked().filter(|file| file.name.ends_with(".md")) {
        let folder = root.join(&page.name);
        let folder = folder.parent().expect("a file has a folder");
        for link in page.text.split("](").skip(1).filter_map(|rest| rest.split(')').next()) {
            let path = link.split('#').next().unwrap_or_default();
            let is_file = !path.is_empty() && !path.contains("://") && !path.contains(' ');
            if is_file && !folder.join(path).exists() {
                broken.push(format!("{}: {link}", page.name));
            }
        }
    }
    assert!(broken.is_empty(), "{broken:?}");
}

/// A tracked file with its content in the work tree.
struct TrackedFile {
    /// Its path with `/`, relative to the crate.
    name: String,
    text: String,
}

impl TrackedFile {
    fn is_under(&self, places: &[&str]) -> bool {
        places.iter().any(|place| self.name.starts_with(place))
    }
}

/// Fails with every line of code that `rule` objects to. Comments and code for tests are exempt.
fn complain(files: impl Iterator<Item = TrackedFile>, rule: impl Fn(&str) -> Option<String>) {
    let mut complaints = Vec::new();
    for file in files {
        for (number, line) in file.text.lines().enumerate() {
            let code = line.trim_start();
            let is_test = ModuleTree::library().is_test(Path::new(&file.name), number + 1);
            if is_test || code.starts_with("//") {
                continue;
            }
            complaints
                .extend(rule(code).map(|what| format!("{}:{}: {what}", file.name, number + 1)));
        }
    }
    assert!(complaints.is_empty(), "\n{}", complaints.join("\n"));
}

/// Returns true if `line` contains `word`, but not as the end of a longer name: `eprintln!` is not
/// `println!`.
fn names(line: &str, word: &str) -> bool {
    line.match_indices(word).any(|(at, _)| {
        !line[..at].ends_with(|character: char| character.is_alphanumeric() || character == '_')
    })
}

/// The sources of the library and of the binary, without files that contain only tests.
fn sources() -> impl Iterator<Item = TrackedFile> {
    tracked().filter(|file| {
        file.name == "src/main.rs" || ModuleTree::library().contains(Path::new(&file.name))
    })
}

/// Every text file that git tracks or would track; in a packaged crate without git, what `core`,
/// `src`, `tests` and `benches` hold.
fn tracked() -> impl Iterator<Item = TrackedFile> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let listed = Command::new("git")
        .args(["ls-files", "-z", "--cached", "--others", "--exclude-standard"])
        .current_dir(root)
        .output();
    let names: Vec<String> = match listed {
        Ok(output) if output.status.success() => String::from_utf8_lossy(&output.stdout)
            .split_terminator('\0')
            .map(str::to_owned)
            .collect(),
        _ => ["core", "src", "tests", "benches"]
            .iter()
            .flat_map(|folder| walk(root, &root.join(folder)))
            .collect(),
    };
    assert!(names.iter().any(|name| name == "src/lib.rs"), "the tracked files were not found");
    // Files that are not UTF-8 are not text; tracked files that were just removed are skipped.
    names.into_iter().filter_map(|name| {
        let text = fs::read_to_string(root.join(&name)).ok()?;
        Some(TrackedFile { name, text })
    })
}

fn walk(root: &Path, folder: &Path) -> Vec<String> {
    let entries: Vec<PathBuf> = fs::read_dir(folder)
        .map(|entries| entries.flatten().map(|entry| entry.path()).collect())
        .unwrap_or_default();
    let mut names = Vec::new();
    for path in entries {
        if path.is_dir() {
            names.extend(walk(root, &path));
        } else if let Ok(relative) = path.strip_prefix(root) {
            names.push(relative.to_string_lossy().replace('\\', "/"));
        }
    }
    names
}
