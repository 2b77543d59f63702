//! The reports of [`super::hooks`]: JSON Lines, one line for each attempt of a test, written while
//! the tests run, so that a run that dies leaves the results that it had.
//!
//! The last line of a complete report is `{"end": true}`.

use serde::Deserialize;

use super::{Case, Place, Report};
use crate::userdata::runs::Outcome;

#[derive(Debug, Default, Deserialize)]
#[serde(default)]
struct Line {
    begin: Option<String>,
    end: bool,
    problem: Option<String>,
    file: Option<String>,
    directory: Option<String>,
    name: Option<String>,
    outcome: Option<Outcome>,
    ms: Option<f64>,
    attempt: Option<u32>,
}

/// Parses the report of one process. A line that is cut off, or no line of a report, is a problem
/// of the report, as is the absence of its end. O(text).
pub fn parse(text: &[u8]) -> Report {
    let mut report = Report::default();
    let mut is_ended = false;
    for line in text.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
        let line = String::from_utf8_lossy(line);
        let Ok(line) = serde_json::from_str::<Line>(&line) else {
            report.problem("a line of the report is damaged");
            continue;
        };
        if let Some(runner) = line.begin {
            report.add_runner(&runner);
            is_ended = false;
        }
        is_ended |= line.end;
        if let Some(problem) = line.problem {
            report.problem(problem);
        }
        if let (Some(name), Some(outcome)) = (line.name, line.outcome) {
            let place = match (line.file, line.directory) {
                (Some(file), _) => Place::File(file),
                (None, Some(directory)) => Place::Directory(directory),
                (None, None) => Place::Unknown,
            };
            let duration_ms = line.ms.filter(|ms| ms.is_finite() && *ms >= 0.0);
            report.add(Case { place, name, outcome, duration_ms, attempt: line.attempt });
        }
    }
    if !is_ended {
        report.problem("the runner ended before its tests did");
    }
    report
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_read_and_half_a_report_is_a_problem() {
        let whole = concat!(
            "{\"begin\": \"pytest\"}\n",
            "{\"file\": \"/t/a.py\", \"name\": \"b[c]\", \"outcome\": \"passed\", \"ms\": 1.5}\n",
            "{\"directory\": \"/t\", \"name\": \"T/x\", \"outcome\": \"skipped\", \"attempt\": 2}\n",
            "{\"end\": true}\n"
        );
        let report = parse(whole.as_bytes());
        assert_eq!((report.runners, report.problems), (vec!["pytest".to_owned()], vec![]));
        let case = |place, name: &str, outcome, duration_ms, attempt| Case {
            place,
            name: name.to_owned(),
            outcome,
            duration_ms,
            attempt,
        };
        let file = Place::File("/t/a.py".to_owned());
        let directory = Place::Directory("/t".to_owned());
        let expected = vec![
            case(file, "b[c]", Outcome::Passed, Some(1.5), None),
            case(directory, "T/x", Outcome::Skipped, None, Some(2)),
        ];
        assert_eq!(report.cases, expected);
        let half = parse(&whole.as_bytes()[..130]);
        assert_eq!(half.cases.len(), 1);
        let expected = ["a line of the report is damaged", "the runner ended before its tests did"];
        assert_eq!(half.problems, expected);
    }

    #[test]
    fn garbage_is_a_problem_and_no_result() {
        let report = parse(b"\xff\xfe{}\n[1]\n{\"name\": 1}\n{\"outcome\": \"odd\"}\n");
        assert_eq!(report.cases, []);
        assert!(!report.problems.is_empty());
    }
}
