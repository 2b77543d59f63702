//! The examples that the help of each command opens with. All but those of servers run in the repository
//! of `codedb demo`, by a test.

/// The examples of a command: command lines without `codedb`, and what they are for.
type Examples = (&'static str, &'static [(&'static str, &'static str)]);

const EXAMPLES: &[Examples] = &[
    (
        "symbol",
        &[
            ("symbol Cart.total --body", "a method, with its text"),
            ("symbol --prefix apply", "all names that begin so"),
            ("symbol Cart --json", "for scripts"),
        ],
    ),
    ("word", &[("word discounted", "every file with this identifier"), ("word coupon -n 5", "")]),
    (
        "find",
        &[("find 'cart test'", "files, by parts of their paths"), ("find cpn", "letters in order")],
    ),
    (
        "pick",
        &[
            ("pick", "a definition, to open it"),
            ("pick files cart --print", "a file, to print it"),
            ("pick --list | fzf", "with another finder"),
        ],
    ),
    ("glob", &[("glob '**/*.rs'", "files, by a glob"), ("glob 'src/*'", "")]),
    (
        "read",
        &[
            ("read src/cart.rs", "a whole file"),
            ("read src/cart.rs --symbol total", "one definition of it"),
            ("read README.md --line-start 3", "from a line on"),
        ],
    ),
    (
        "outline",
        &[("outline src/cart.rs", "its definitions"), ("outline src/coupon.rs --json", "")],
    ),
    ("tree", &[("tree --depth 1", "the top of the tree"), ("tree --path src", "one folder")]),
    ("ls", &[("ls", "what is here"), ("ls src", "one folder")]),
    (
        "edit",
        &[
            ("edit README.md --op insert --after 2 --content 'Open on Sundays.'", ""),
            ("edit notes.md --op create --content 'Ask Ann.'", "a new file"),
        ],
    ),
    (
        "context",
        &[
            ("context 'a coupon of more than 100 percent underflows'", ""),
            ("context 'how is the total computed' --max-tokens 600", "a shorter reply"),
        ],
    ),
    ("config", &[("config", "what applies, and from where"), ("config --json", "")]),
    (
        "explain",
        &[
            ("explain Cart::total", "definition, callers, calls, tests"),
            ("explain Coupon", ""),
            ("explain Cart::total --format mermaid", "what it calls and is called by, drawn"),
        ],
    ),
    (
        "callers",
        &[
            ("callers Price::of", "who calls it"),
            ("callers Price::of --depth 3", "and who calls those, as a tree"),
            ("callers Coupon::percent --readers", "what reads a field"),
        ],
    ),
    (
        "callpath",
        &[
            ("callpath Cart.total Price::of", "how one calls the other"),
            ("callpath a_coupon_takes_its_share discounted", ""),
            ("callpath Cart.total Price::of --format mermaid", "a drawing, for Markdown"),
        ],
    ),
    (
        "trace",
        &[
            ("trace Cart.total Price::of", "which code runs from one to the other"),
            ("trace Cart.total", "what it runs, as a tree"),
            ("trace --percent Price::of", "from a flag or setting"),
            ("trace Cart.total underflows", "to a message or other text"),
        ],
    ),
    (
        "deps",
        &[
            ("deps src/price.rs", "the files that import it"),
            ("deps src/cart.rs --direction depends_on", "what it imports"),
            ("deps src/price.rs --tree --depth 3", "also indirectly, as a tree"),
            ("deps src/price.rs --tree --format dot", "a drawing, for Graphviz"),
        ],
    ),
    (
        "query",
        &[(
            r#"query '[{"op":"find","query":"src"},{"op":"search","query":"percent"}]'"#,
            "steps over files",
        )],
    ),
    (
        "bundle",
        &[(
            r#"bundle '[{"tool":"codedb_find","arguments":{"query":"cart"}}]'"#,
            "several calls in one",
        )],
    ),
    (
        "changes",
        &[("changes 2025-01-01", "files changed since a day"), ("changes HEAD~1", "or a commit")],
    ),
    ("hot", &[("hot", "the files changed last"), ("hot 3", "")]),
    (
        "history",
        &[
            ("history src/cart.rs", "the commits of a file"),
            ("history src/cart.rs --unit-name total", "of one definition"),
            ("history src/cart.rs -n 1", "only the newest"),
        ],
    ),
    (
        "churn",
        &[("churn -n 3", "the files that change most"), ("churn src/cart.rs", "its definitions")],
    ),
    ("coupling", &[("coupling src/cart.rs", "files that change with it")]),
    ("stats", &[("stats", "files, lines and definitions by language"), ("stats --json", "")]),
    (
        "ownership",
        &[
            ("ownership src/cart.rs", "whose lines they are"),
            ("ownership src/cart.rs --unit-name total", "of one definition"),
        ],
    ),
    ("who-reviews", &[("who-reviews src/cart.rs", "who knows it best")]),
    (
        "impact",
        &[
            ("impact src/price.rs", "what a file affects"),
            ("impact --functions Price::of", "what a function affects"),
            ("impact Price::of --format mermaid", "a drawing, for Markdown"),
        ],
    ),
    (
        "diff-impact",
        &[
            ("diff-impact --working-tree", "of uncommitted changes"),
            ("diff-impact HEAD~1", "since a commit"),
            ("diff-impact HEAD~1 --format dot", "a drawing, for Graphviz"),
        ],
    ),
    (
        "suggest-tests",
        &[
            ("suggest-tests src/coupon.rs", "the tests of a file"),
            ("suggest-tests --functions Price::of", "of a function"),
        ],
    ),
    ("test-gaps", &[("test-gaps -n 3", "functions that no test reaches")]),
    ("stale-tests", &[("stale-tests -n 3", "tests that lag behind their code")]),
    ("risk-map", &[("risk-map -n 5", "files by risk, and why"), ("risk-map --json", "")]),
    ("triage", &[("triage -n 2", "the riskiest files, and what to do")]),
    (
        "record-result",
        &[("record-result tests/cart_test.rs::a_coupon_takes_its_share --passed true", "")],
    ),
    ("lock", &[("lock list", "who works on what")]),
    ("start-job", &[("start-job index", "work in the background"), ("job-status", "")]),
    ("job-status", &[("job-status", "all jobs of the tree")]),
    ("cancel-job", &[("job-status", "find its number"), ("cancel-job 99", "")]),
    ("projects", &[("projects", "the trees that have an index"), ("projects --json", "")]),
    (
        "index",
        &[
            ("index", "what is missing; commands do this themselves"),
            ("index --stage full", "and wait for all of it"),
            ("index --watch", "until Ctrl-C"),
        ],
    ),
    ("status", &[("status", "what is indexed, and how fresh"), ("status --json", "")]),
    (
        "check",
        &[
            ("check", "the uncommitted changes"),
            ("check --base HEAD~1", "all changes since a commit"),
        ],
    ),
    ("test", &[("test", "those of the uncommitted changes"), ("test --base main", "of a branch")]),
    ("run", &[("run -- cargo test", "and record the results"), ("run --coverage -- pytest", "")]),
    (
        "data",
        &[
            ("data", "where it is, and what it has"),
            ("data export backup.jsonl", ""),
            ("data import backup.jsonl", ""),
        ],
    ),
    ("flaky", &[("flaky", "tests that fail now and then"), ("flaky --limit 5", "")]),
    (
        "decisions",
        &[
            ("decisions list", "what people decided"),
            ("decisions for src/cart.rs", "what applies to a file"),
            ("decisions ingest", "propose some from code and commits"),
        ],
    ),
    ("mcp", &[("mcp", "an agent starts this"), ("mcp --toolsets all", "with every tool")]),
    ("serve", &[("serve --listen 127.0.0.1:7370", "")]),
    ("ui", &[("ui", "open the pages in the browser"), ("ui --no-open --port 7400", "")]),
    (
        "init",
        &[
            ("init", "show what would change, then ask"),
            ("init --client codex --yes", "one client, without a question"),
            ("init --git-hook --yes", "check every commit here"),
        ],
    ),
    ("doctor", &[("doctor", "problems, each with its fix")]),
    (
        "eval",
        &[
            ("eval agent tasks.toml", "your model, with codedb and without"),
            ("eval localize", "from messages to files"),
            ("eval risk", "score against corrections"),
        ],
    ),
    (
        "drift",
        &[
            ("drift pin files -- files-server .", "accept the tools of a server"),
            ("drift check files -- files-server .", "compare with what was accepted"),
            ("drift classify before.json after.json", "two lists in files"),
        ],
    ),
    #[cfg(feature = "fleet")]
    (
        "fleet",
        &[
            ("fleet status", "the nodes, and what is wrong with them"),
            ("fleet index repositories.txt", "clone and index what a list names"),
            ("fleet callers Open --repo acme/store", "the users in all repositories"),
            ("fleet simulate --nodes 20 --lose 2", "a large fleet, computed"),
        ],
    ),
    ("snapshot", &[("snapshot > tree.json", "files, definitions, imports")]),
    (
        "completions",
        &[
            ("completions bash > ~/.local/share/bash-completion/completions/codedb", ""),
            ("completions fish > ~/.config/fish/completions/codedb.fish", ""),
            ("completions --keys bash >> ~/.bashrc", "Ctrl-G s, f, l insert a choice"),
        ],
    ),
    ("man", &[("man | man -l -", "the manual"), ("man callers", "of one command, as roff")]),
    (
        "review",
        &[("review", "the uncommitted changes"), ("review --base HEAD~1", "all since a commit")],
    ),
    (
        "cache",
        &[
            ("cache", "the trees that have an index, with sizes"),
            ("cache clean --older-than 30", "remove those not used for 30 days"),
            ("cache verify", "read every byte of them"),
        ],
    ),
    ("demo", &[("demo", "make it in ./codedb-demo"), ("demo /tmp/shop --no-tour", "only make it")]),
];

/// The column at which the comments start.
const COMMENT_COLUMN: usize = 44;

/// Returns the examples of a command as the help shows them; `None` for a command without any.
pub(super) fn of(command: &str) -> Option<String> {
    let (_, examples) = EXAMPLES.iter().find(|(of, _)| *of == command)?;
    let mut text = "Examples:".to_owned();
    for (line, comment) in *examples {
        let line = format!("\n  codedb {line}");
        let pad = COMMENT_COLUMN.saturating_sub(line.chars().count()).max(2);
        text.push_str(&line);
        if !comment.is_empty() {
            text.push_str(&format!("{}{comment}", " ".repeat(pad)));
        }
    }
    Some(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Those that no test runs must at least be accepted.
    #[test]
    fn examples_are_accepted() {
        for (line, _) in EXAMPLES.iter().flat_map(|(_, examples)| *examples) {
            assert!(crate::cli::commands::accepts(&words(line)), "{line}");
        }
    }

    /// Returns the words of a command line up to a pipe, a redirection or a comment.
    fn words(line: &str) -> Vec<String> {
        let (mut words, mut word, mut quote) = (Vec::new(), None::<String>, None);
        for c in line.chars() {
            match (quote, c) {
                (Some(open), _) if c == open => quote = None,
                (None, '\'' | '"') => {
                    quote = Some(c);
                    word.get_or_insert_default();
                }
                (None, '|' | '>' | '#' | '&' | ';') => break,
                (None, ' ') => words.extend(word.take()),
                _ => word.get_or_insert_default().push(c),
            }
        }
        words.extend(word);
        words
    }

    /// The pages had commands that were renamed or never existed.
    #[test]
    fn the_commands_on_the_pages_are_accepted() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR"));
        let folders = ["docs", "docs/clients"].map(|folder| root.join(folder));
        let pages = folders.iter().flat_map(|folder| std::fs::read_dir(folder).expect("pages"));
        let pages = pages.flatten().map(|entry| entry.path());
        let is_page = |path: &std::path::PathBuf| path.extension().is_some_and(|it| it == "md");
        let pages = pages.filter(is_page).chain([root.join("README.md")]);
        let mut found = 0;
        for page in pages {
            let text = std::fs::read_to_string(&page).expect("a text");
            let blocks = text.split("```").skip(1).step_by(2);
            for line in blocks.filter_map(|block| block.strip_prefix("sh\n")).flat_map(str::lines) {
                let commands = line.split("&& ").filter_map(|part| part.strip_prefix("codedb "));
                let is_other = |of: &&str| of.starts_with("search ") || of.contains("--help");
                for command in commands.filter(|command| !is_other(command)) {
                    found += 1;
                    let number = |word: String| if word == "N" { "1".to_owned() } else { word };
                    let words: Vec<String> = words(command).into_iter().map(number).collect();
                    let is_accepted = crate::cli::commands::accepts(&words);
                    assert!(is_accepted, "{}: {command}", page.display());
                }
            }
        }
        assert!(found > 40, "{found} commands");
    }

    #[test]
    fn every_command_has_examples_of_its_own() {
        for (command, examples) in EXAMPLES {
            assert!((1..=4).contains(&examples.len()), "{command}");
            for (line, comment) in *examples {
                let first = line.split(' ').next().unwrap_or_default();
                assert!(first == *command || first == "job-status", "{command}: {line}");
                assert!(line.len() + comment.len() < 90, "{line}");
            }
        }
        let missing: Vec<String> = crate::cli::commands::names()
            .into_iter()
            .filter(|name| of(name).is_none() && name != "search" && name != "help")
            .collect();
        assert!(missing.is_empty(), "{missing:?} have no examples");
    }
}
