//! JaCoCo's XML. Files are named by package and name, such as `com/x/A.java`.

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use super::CoverageReport;

/// Parses a report; `None` if the root element is another one.
pub(super) fn parse(text: &str) -> Option<CoverageReport> {
    let mut report = CoverageReport::new("jacoco");
    let mut reader = Reader::from_str(text);
    let (mut package, mut path, mut is_known) = (String::new(), None, false);
    loop {
        match reader.read_event() {
            Ok(Event::DocType(doctype)) if doctype.contains('[') => {
                report.problem("the report defines entities");
                return Some(report);
            }
            Ok(Event::Start(element) | Event::Empty(element)) => {
                let name = element.name();
                match name.as_ref() {
                    "report" => is_known = true,
                    _ if !is_known => return None,
                    "package" => package = attribute(&element, "name").unwrap_or_default(),
                    "sourcefile" => {
                        let file = attribute(&element, "name").unwrap_or_default();
                        path = Some(if package.is_empty() {
                            file
                        } else {
                            format!("{package}/{file}")
                        });
                    }
                    "line" => add(&mut report, path.as_deref(), &element),
                    _ => {}
                }
            }
            Ok(Event::End(element)) if element.name().as_ref() == "sourcefile" => path = None,
            Ok(Event::Eof) => break,
            Ok(_) => {}
            Err(error) => {
                report.problem(format!("not well-formed XML: {error}"));
                break;
            }
        }
    }
    is_known.then_some(report)
}

fn add(report: &mut CoverageReport, path: Option<&str>, element: &BytesStart<'_>) {
    let number = |name: &str| attribute(element, name).and_then(|text| text.parse::<u32>().ok());
    match (path, number("nr"), number("ci")) {
        (Some(path), Some(line), Some(covered)) => report.add(path, line, covered > 0, ""),
        _ => report.problem("a line of the report is damaged"),
    }
}

fn attribute(element: &BytesStart<'_>, name: &str) -> Option<String> {
    let mut attributes = element.attributes().flatten();
    attributes.find(|attribute| attribute.key.as_ref() == name).map(|it| it.value.into_owned())
}
