//! `codedb grep`: the options of grep that ripgrep spells in another way, or that mean something else
//! there.

use std::ffi::OsString;

/// Long options of grep without a value, and what they are here; empty for what is the default.
const LONG: &[(&str, &str)] = &[
    ("--recursive", ""),
    ("--dereference-recursive", "--follow"),
    ("--extended-regexp", ""),
    ("--basic-regexp", ""),
    ("--perl-regexp", "--pcre2"),
    ("--files-without-match", "--files-without-match"),
    ("--no-messages", "--no-messages"),
];

/// Short options of grep, and what they are here; empty for what is the default.
const SHORT: &[(char, &str)] = &[
    ('r', ""),
    ('R', "--follow"),
    ('E', ""),
    ('G', ""),
    ('I', ""),
    ('s', "--no-messages"),
    ('h', "--no-filename"),
    ('L', "--files-without-match"),
    ('z', "--null-data"),
];

/// Short options of grep that have a value.
const WITH_VALUE: &str = "efmABC";

/// Options of grep that select files, and the start of their glob here.
const FILES: &[(&str, &str, &str)] =
    &[("--include=", "", ""), ("--exclude=", "!", ""), ("--exclude-dir=", "!", "/")];

/// Returns the arguments of `codedb grep`, from `at` on, as those of a search.
pub(in crate::cli) fn translated(args: Vec<OsString>, at: usize) -> Vec<OsString> {
    let mut made = Vec::with_capacity(args.len());
    let mut args = args.into_iter();
    made.extend(args.by_ref().take(at));
    while let Some(arg) = args.next() {
        let Some(text) = arg.to_str() else {
            made.push(arg);
            continue;
        };
        if text == "--" {
            made.push(arg);
            break;
        }
        if let Some((_, here)) = LONG.iter().find(|(long, _)| *long == text) {
            made.extend(Some(OsString::from(*here)).filter(|here| !here.is_empty()));
        } else if let Some((start, before, after)) =
            FILES.iter().find(|(start, ..)| text.starts_with(start))
        {
            let glob = &text[start.len()..];
            made.push(OsString::from(format!("--glob={before}{glob}{after}")));
        } else if text.len() > 1 && text.starts_with('-') && !text.starts_with("--") {
            short(&text[1..], &mut made);
            let has_value_next = text.ends_with(|c| WITH_VALUE.contains(c));
            made.extend(has_value_next.then(|| args.next()).flatten());
        } else {
            made.push(arg);
        }
    }
    made.extend(args);
    made
}

/// Adds short options that are written together.
fn short(letters: &str, made: &mut Vec<OsString>) {
    let mut kept = String::from("-");
    let mut long = Vec::new();
    for (at, letter) in letters.char_indices() {
        if WITH_VALUE.contains(letter) || letter.is_ascii_digit() {
            // The rest is its value, or a number of context lines.
            kept.push_str(&letters[at..]);
            break;
        }
        match SHORT.iter().find(|(short, _)| *short == letter) {
            Some((_, here)) => long.extend(Some(*here).filter(|here| !here.is_empty())),
            None => kept.push(letter),
        }
    }
    made.extend(long.into_iter().map(OsString::from));
    if kept.len() > 1 {
        made.push(kept.into());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(typed: &str, expected: &str) {
        let args = typed.split(' ').map(OsString::from).collect();
        let made: Vec<String> =
            translated(args, 0).into_iter().map(|arg| arg.into_string().expect("text")).collect();
        assert_eq!(made.join(" "), expected, "{typed}");
    }

    #[test]
    fn options_of_grep_mean_what_they_mean_there() {
        check("-r -n foo .", "-n foo .");
        check("-rn foo", "-n foo");
        check("-rnE a|b src", "-n a|b src");
        check("-Rin foo", "--follow -in foo");
        check("-rl --include=*.go foo .", "-l --glob=*.go foo .");
        check("-r --exclude-dir=vendor foo", "--glob=!vendor/ foo");
        check("-rA3 foo", "-A3 foo");
        check("-rA 3 -e -x foo", "-A 3 -e -x foo");
        check("-hs foo", "--no-filename --no-messages foo");
        check("--recursive -- -r", "-- -r");
        check("-L foo", "--files-without-match foo");
    }
}
