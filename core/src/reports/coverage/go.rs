//! Cover profiles of Go: `file:line.column,line.column statements count`.

use super::{CoverageReport, LINE_MAX};

pub(super) fn parse(text: &str) -> CoverageReport {
    let mut report = CoverageReport::new("go");
    for line in text.lines().skip(1).filter(|line| !line.trim().is_empty()) {
        if line.starts_with("mode: ") {
            continue;
        }
        match block(line) {
            Some((path, first, last, is_covered)) => {
                (first..=last).for_each(|line| report.add(path, line, is_covered, ""));
            }
            None => report.problem("a line of the report is damaged"),
        }
    }
    report
}

fn block(line: &str) -> Option<(&str, u32, u32, bool)> {
    let (path, rest) = line.rsplit_once(':')?;
    let mut fields = rest.split(' ');
    let (start, end) = fields.next()?.split_once(',')?;
    let _statements: u64 = fields.next()?.parse().ok()?;
    let count: u64 = fields.next()?.trim().parse().ok()?;
    let number = |place: &str| place.split('.').next()?.parse::<u32>().ok();
    let (first, last) = (number(start)?, number(end)?);
    (first <= last && last <= LINE_MAX && last - first < 100_000).then_some((
        path,
        first,
        last,
        count > 0,
    ))
}
