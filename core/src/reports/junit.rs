//! JUnit XML, as Surefire, Gradle, PHPUnit, nextest and many others write it.
//!
//! The parser reads elements and attributes only. A document type is refused, and entities other
//! than the five of XML and character references stay as they are.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::{Case, Place, Report};
use crate::userdata::runs::Outcome;

/// The maximum depth of elements.
const DEPTH_MAX: usize = 64;

/// A `testcase` element that is not closed yet.
#[derive(Default)]
struct Open {
    place: Option<Place>,
    name: String,
    duration_ms: Option<f64>,
    outcome: Option<Outcome>,
    /// Attempts that failed before the last one.
    earlier: u32,
    /// Attempts that failed after the first one, of a test that never passed.
    later: u32,
}

/// Parses a report. What follows a syntax error is missing, and the error is a problem of the
/// report. O(text).
pub fn parse(text: &[u8]) -> Report {
    let mut report = Report::default();
    report.add_runner("junit");
    if let Err(problem) = parse_into(text, &mut report) {
        report.problem(problem);
    }
    report
}

fn parse_into(text: &[u8], report: &mut Report) -> Result<(), String> {
    let text = String::from_utf8_lossy(text);
    let mut reader = Reader::from_str(&text);
    reader.config_mut().check_end_names = true;
    // The `name` and `file` of the suites around the present element.
    let mut suites: Vec<(String, Option<String>)> = Vec::new();
    let mut open: Option<Open> = None;
    let mut depth = 0_usize;
    let mut has_root = false;
    loop {
        let event = reader.read_event().map_err(|error| format!("not well-formed XML: {error}"))?;
        match event {
            Event::Start(element) => {
                depth += 1;
                has_root = true;
                if depth > DEPTH_MAX {
                    return Err("elements are nested too deeply".to_owned());
                }
                begin(&element, &mut suites, &mut open)?;
            }
            Event::Empty(element) => {
                has_root = true;
                begin(&element, &mut suites, &mut open)?;
                end(element.name().as_ref(), &mut suites, &mut open, report);
            }
            Event::End(element) => {
                depth = depth.saturating_sub(1);
                end(element.name().as_ref(), &mut suites, &mut open, report);
            }
            Event::DocType(_) => return Err("the report has a document type".to_owned()),
            Event::Eof if depth > 0 || !has_root => return Err("the report is cut off".to_owned()),
            Event::Eof => return Ok(()),
            _ => {}
        }
    }
}

fn begin(
    element: &BytesStart<'_>,
    suites: &mut Vec<(String, Option<String>)>,
    open: &mut Option<Open>,
) -> Result<(), String> {
    match (element.name().as_ref(), open.as_mut()) {
        ("testsuite", _) => {
            let file = attribute(element, "file")?;
            suites.push((attribute(element, "name")?.unwrap_or_default(), file));
        }
        ("testcase", _) => *open = Some(case(element, suites)?),
        ("failure", Some(open)) => open.outcome = Some(Outcome::Failed),
        ("error", Some(open)) => open.outcome = Some(Outcome::Error),
        ("skipped", Some(open)) => {
            open.outcome = Some(open.outcome.unwrap_or(Outcome::Skipped));
        }
        ("flakyFailure" | "flakyError", Some(open)) => open.earlier += 1,
        ("rerunFailure" | "rerunError", Some(open)) => open.later += 1,
        _ => {}
    }
    Ok(())
}

fn case(element: &BytesStart<'_>, suites: &[(String, Option<String>)]) -> Result<Open, String> {
    let class = attribute(element, "classname")?.or(attribute(element, "class")?);
    let file = attribute(element, "file")?;
    let file = file.or_else(|| suites.iter().rev().find_map(|(_, file)| file.clone()));
    let suite = suites.last().map(|(name, _)| name.clone()).filter(|name| !name.is_empty());
    let class = class.filter(|class| !class.is_empty()).or(suite);
    let name = attribute(element, "name")?.unwrap_or_default();
    // Thousands separators, as some runners write them.
    let time = attribute(element, "time")?.and_then(|time| time.replace(',', "").parse().ok());
    let duration_ms = time.map(|time: f64| time * 1000.0).filter(|ms| ms.is_finite() && *ms >= 0.0);
    let (place, name) = match (file, class) {
        (Some(file), Some(class)) => {
            let own = class.rsplit(['.', '\\']).next().unwrap_or(&class).to_owned();
            // A class that repeats the name of the file adds nothing.
            let is_file = file.ends_with(&class) || class.is_empty();
            (Place::File(file), if is_file { name } else { format!("{own}::{name}") })
        }
        (Some(file), None) => (Place::File(file), name),
        (None, Some(class)) => (Place::Class(class), name),
        (None, None) => (Place::Unknown, name),
    };
    Ok(Open { place: Some(place), name, duration_ms, ..Open::default() })
}

fn end(
    name: &str,
    suites: &mut Vec<(String, Option<String>)>,
    open: &mut Option<Open>,
    report: &mut Report,
) {
    match name {
        "testsuite" => drop(suites.pop()),
        "testcase" => {
            let Some(open) = open.take().filter(|open| !open.name.is_empty()) else { return };
            let last = open.outcome.unwrap_or(Outcome::Passed);
            let place = open.place.unwrap_or(Place::Unknown);
            // The attempts before the last one all failed.
            let before = (open.earlier + open.later).min(100);
            for attempt in 0..before {
                report.add(Case {
                    place: place.clone(),
                    name: open.name.clone(),
                    outcome: Outcome::Failed,
                    duration_ms: None,
                    attempt: Some(attempt),
                });
            }
            report.add(Case {
                place,
                name: open.name,
                outcome: last,
                duration_ms: open.duration_ms,
                attempt: (before > 0).then_some(before),
            });
        }
        _ => {}
    }
}

fn attribute(element: &BytesStart<'_>, name: &str) -> Result<Option<String>, String> {
    for attribute in element.attributes() {
        let attribute = attribute.map_err(|error| format!("not well-formed XML: {error}"))?;
        if attribute.key.as_ref() == name {
            return Ok(Some(unescaped(&attribute.value)));
        }
    }
    Ok(None)
}

/// Replaces the entities of XML and character references.
fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let entity = rest[1..].find(';').filter(|&length| length <= 10).map(|end| &rest[1..=end]);
        let character = match entity {
            Some("amp") => Some('&'),
            Some("lt") => Some('<'),
            Some("gt") => Some('>'),
            Some("quot") => Some('"'),
            Some("apos") => Some('\''),
            Some(entity) => reference(entity),
            None => None,
        };
        match (character, entity) {
            (Some(character), Some(entity)) => {
                out.push(character);
                rest = &rest[entity.len() + 2..];
            }
            _ => {
                out.push('&');
                rest = &rest[1..];
            }
        }
    }
    out.push_str(rest);
    out
}

fn reference(entity: &str) -> Option<char> {
    let number = entity.strip_prefix('#')?;
    let code = match number.strip_prefix(['x', 'X']) {
        Some(hexadecimal) => u32::from_str_radix(hexadecimal, 16).ok()?,
        None => number.parse().ok()?,
    };
    char::from_u32(code)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn short(report: &Report) -> Vec<String> {
        let each = report.cases.iter().map(|case| {
            let place = match &case.place {
                Place::File(path) => format!("file {path}"),
                Place::Class(class) => format!("class {class}"),
                _ => "?".to_owned(),
            };
            let attempt = case.attempt.map_or(String::new(), |attempt| format!(" #{attempt}"));
            format!("{place} | {} {}{attempt}", case.name, case.outcome.name())
        });
        each.collect()
    }

    #[test]
    fn surefire_and_its_reruns() {
        let report = parse(
            br#"<?xml version="1.0"?><testsuite name="a.B" tests="5">
            <properties><property name="x" value="1"/></properties>
            <testcase name="ok(int)[1]" classname="a.B" time="1,000.5"/>
            <testcase name="bad" classname="a.B"><failure message="&lt;x&gt;">y</failure></testcase>
            <testcase name="err" classname="a.B"><error/></testcase>
            <testcase name="skip" classname="a.B$C"><skipped/></testcase>
            <testcase name="flaky" classname="a.B"><flakyFailure/><flakyFailure/></testcase>
            <testcase name="worse" classname="a.B"><failure/><rerunFailure/></testcase>
            </testsuite>"#,
        );
        assert_eq!(report.problems, Vec::<String>::new());
        let expected = [
            "class a.B | ok(int)[1] passed",
            "class a.B | bad failed",
            "class a.B | err error",
            "class a.B$C | skip skipped",
            "class a.B | flaky failed #0",
            "class a.B | flaky failed #1",
            "class a.B | flaky passed #2",
            "class a.B | worse failed #0",
            "class a.B | worse failed #1",
        ];
        assert_eq!(short(&report), expected);
        assert_eq!(report.cases[0].duration_ms, Some(1_000_500.0));
    }

    #[test]
    fn files_and_escaped_names() {
        let report = parse(
            br#"<testsuites><testsuite name="/t"><testsuite name="ATest" file="/t/ATest.php">
            <testcase name="testD with data set &quot;a &amp; b&quot; &#233;&#x1F600;&bogus;" class="N\ATest"/>
            </testsuite></testsuite></testsuites>"#,
        );
        let expected = [
            "file /t/ATest.php | ATest::testD with data set \"a & b\" \u{e9}\u{1f600}&bogus; passed",
        ];
        assert_eq!(short(&report), expected);
    }

    #[test]
    fn half_a_report_keeps_its_results_and_entities_are_not_expanded() {
        let half = parse(br#"<testsuite name="s"><testcase name="a"/><testcase name="b"><fail"#);
        assert_eq!(short(&half), ["class s | a passed"]);
        assert_eq!(half.problems.len(), 1);
        let bomb = br#"<!DOCTYPE x [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;">]>
            <testsuite><testcase name="&b;"/></testsuite>"#;
        assert_eq!(parse(bomb).cases, []);
        assert_eq!(parse(bomb).problems, ["the report has a document type"]);
        for garbage in [&b""[..], b"\xff\x00", b"<a>", b"text", b"<testcase name=>"] {
            assert!(!parse(garbage).problems.is_empty());
        }
        assert!(!parse("<a>".repeat(100).as_bytes()).problems.is_empty());
    }
}
