//! The search of a candidate prints the same as the search of any file.

use termcolor::Buffer;

use super::super::args::{Mode, SearchMode};
use super::super::matcher;
use super::super::parse::parse;
use super::super::printer::PrinterFactory;
use super::super::request::Request;
use super::super::targets::{ContentHint, Origin, Target};
use super::{Verdict, Worker, WorkerParts};

fn printed(
    line: &str,
    search: impl Fn(&mut Worker<Buffer>) -> std::io::Result<Verdict>,
) -> (String, bool) {
    let args = parse(line.split_whitespace().map(Into::into)).expect("a valid line");
    let request = Request::resolve(args).expect("a valid request");
    let Mode::Search(mode) = request.mode else { panic!("not a search: {line}") };
    let matcher = matcher::build(&request).expect("a valid pattern");
    let parts = WorkerParts::new(&request, matcher).expect("no preprocessor");
    let factory = PrinterFactory::new(&request, mode);
    let mut worker = parts.worker(factory.printer(Buffer::no_color()));
    let verdict = search(&mut worker).expect("memory and a small file can be searched");
    if mode == SearchMode::Json {
        // The messages contain times.
        return (String::new(), verdict.has_match);
    }
    (worker.output().as_slice().escape_ascii().to_string(), verdict.has_match)
}

fn check(line: &str, bytes: &[u8]) {
    let dir = tempfile::tempdir().expect("a directory");
    let path = dir.path().join("file");
    std::fs::write(&path, bytes).expect("a file");
    for origin in [Origin::Named, Origin::Walked] {
        let target = Target { path: path.clone(), origin, hint: ContentHint::Unknown };
        let line = format!("{line} --no-mmap needle -H {}", dir.path().display());
        let read = printed(&line, |worker| worker.search(&target));
        let buffered = printed(&line, |worker| worker.search_candidate(&target));
        assert_eq!(read, buffered, "{line} {origin:?}");
    }
}

#[test]
fn a_candidate_prints_the_same_as_any_file() {
    let late_nul = [&b"needle\n"[..], &b"filler text\n".repeat(20_000), b"\0\nneedle\n"].concat();
    let late_match = [&b"filler text\n".repeat(20_000)[..], b"needle\0\n"].concat();
    let utf16 = "needle\nx\n".encode_utf16().flat_map(u16::to_le_bytes);
    let utf16: Vec<u8> = [0xFF, 0xFE].into_iter().chain(utf16).collect();
    let texts = [&b""[..], b"x\nneedle\ny", b"needle\r\n\0needle", &late_nul, &late_match, &utf16];
    for flags in ["", "-n -C1", "-a", "--binary", "-c", "-l", "--json", "-U", "-v -m2", "-b --crlf"]
    {
        for text in texts {
            check(flags, text);
        }
    }
}
