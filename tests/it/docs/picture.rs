//! The picture of the README: what a terminal shows for some commands in the repository of the demo, as
//! SVG.

use std::fmt::Write as _;

use super::check;
use crate::support::place::{Answer, Place};

const PROGRAM: &str = env!("CARGO_BIN_EXE_codedb");

/// The columns of the terminal.
const COLUMNS: usize = 84;

/// The width of a column and the height of a line, in units of the picture.
const CELL: (f64, f64) = (8.4, 19.0);

/// The commands, which are shown one below the other.
const COMMANDS: [&[&str]; 4] = [
    &["search", "-n", "percent", "src"],
    &["callers", "Cart::total"],
    &["churn", "-n", "3"],
    &["impact", "src/coupon.rs"],
];

/// What a sequence of numbers of an escape sequence means in the picture.
fn style(numbers: &str) -> &'static str {
    match numbers {
        "1" => "font-weight=\"bold\"",
        "1;31" | "31;1" => "font-weight=\"bold\" fill=\"#f7768e\"",
        "2" => "fill=\"#7a80a0\"",
        "31" => "fill=\"#f7768e\"",
        "32" => "fill=\"#9ece6a\"",
        "33" => "fill=\"#e0af68\"",
        "34" => "fill=\"#7aa2f7\"",
        "35" => "fill=\"#bb9af7\"",
        "36" => "fill=\"#7dcfff\"",
        _ => "",
    }
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Returns the pieces of a line with their styles; sequences that follow each other add up.
fn pieces(line: &str) -> Vec<(String, String)> {
    let (mut found, mut current) = (Vec::new(), String::new());
    for (at, part) in line.split("\x1b[").enumerate() {
        let text = match part.split_once('m').filter(|_| at > 0) {
            Some((numbers, text)) => {
                if matches!(numbers, "0" | "") {
                    current.clear();
                } else {
                    let more = style(numbers);
                    // Bold and a colour are two sequences in the results of searches.
                    current = format!("{current} {more}").trim().to_owned();
                }
                text
            }
            None => part,
        };
        if !text.is_empty() {
            found.push((text.to_owned(), current.clone()));
        }
    }
    found
}

fn svg(lines: &[String]) -> String {
    let (width, height) = (COLUMNS as f64 * CELL.0 + 32.0, lines.len() as f64 * CELL.1 + 32.0);
    let mut out = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width:.0}\" height=\"{height:.0}\" \
         viewBox=\"0 0 {width:.0} {height:.0}\" role=\"img\" aria-label=\"codedb in a terminal\">\n\
         <rect width=\"100%\" height=\"100%\" rx=\"8\" fill=\"#1a1b26\"/>\n\
         <g font-family=\"ui-monospace, SFMono-Regular, Menlo, Consolas, monospace\" \
         font-size=\"14\" fill=\"#c0caf5\" xml:space=\"preserve\">\n"
    );
    for (at, line) in lines.iter().enumerate() {
        let y = 16.0 + (at as f64 + 0.75) * CELL.1;
        let mut column = 0;
        for (text, style) in pieces(line) {
            let columns = text.chars().count();
            let x = 16.0 + column as f64 * CELL.0;
            let length = columns as f64 * CELL.0;
            column += columns;
            if text.trim().is_empty() {
                continue;
            }
            let style = if style.is_empty() { style } else { format!(" {style}") };
            // The length keeps columns aligned in every font.
            let _ = writeln!(
                out,
                "<text x=\"{x:.1}\" y=\"{y:.1}\" textLength=\"{length:.1}\"{style}>{}</text>",
                escaped(&text)
            );
        }
    }
    out.push_str("</g>\n</svg>\n");
    out
}

#[cfg(unix)]
#[test]
fn the_picture_shows_what_a_terminal_shows() {
    let place = Place::new();
    let shop = place.demo();
    let run = |words: &[&str]| {
        let mut command = place.command(PROGRAM);
        command.args(words).current_dir(&shop);
        command.env("COLUMNS", COLUMNS.to_string()).env("LC_ALL", "C.UTF-8");
        command.env("TERM", "xterm-256color").env_remove("NO_COLOR");
        Answer::of(command)
    };
    let mut lines = Vec::new();
    for words in COMMANDS {
        if !lines.is_empty() {
            lines.push(String::new());
        }
        lines.push(format!("\x1b[2m$\x1b[0m \x1b[1mcodedb {}\x1b[0m", words.join(" ")));
        let form: &[&str] = match words[0] {
            "search" => &["--color", "always", "--no-heading"],
            _ => &["--color", "always", "--format", "screen", "--iso"],
        };
        let shown = run(&[words, form].concat()).expect_success().text();
        lines.extend(shown.lines().map(str::to_owned));
    }
    assert!(lines.len() > 20, "{lines:#?}");
    check("terminal.svg", &svg(&lines));
}

#[test]
fn pieces_have_the_styles_before_them() {
    let shown = pieces("a\x1b[1m\x1b[31mb\x1b[0m<");
    let expected = [("a", ""), ("b", "font-weight=\"bold\" fill=\"#f7768e\""), ("<", "")];
    let expected = expected.map(|(text, style)| (text.to_owned(), style.to_owned()));
    assert_eq!(shown, expected);
    assert_eq!(escaped("a<b>&"), "a&lt;b&gt;&amp;");
}
