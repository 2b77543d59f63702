//! Reads a coverage report of any format from a file.

use std::path::Path;

use super::{CoverageReport, parse, test_of_context};
use crate::error::{Error, Result};
use crate::source::input_file;
use crate::userdata::coverage_py;

/// The maximum size of a report in bytes.
const REPORT_BYTES_MAX: u64 = 1 << 30;

/// Reads a report: the database of coverage.py, or one of the formats of [`parse`]. O(bytes).
///
/// # Errors
///
/// If the file cannot be read, is larger than 1 GiB, or has no known format.
pub fn read(file: &Path) -> Result<CoverageReport> {
    let failed = |error| Error::io(file, error);
    let mut start = vec![0; coverage_py::MAGIC.len()];
    let mut opened = input_file::open(file, REPORT_BYTES_MAX)?;
    let length = std::io::Read::read(&mut opened, &mut start).map_err(failed)?;
    if start[..length] == *coverage_py::MAGIC {
        let mut report = CoverageReport::new("coverage.py");
        coverage_py::read(file, &mut |executed| {
            let test = test_of_context(&executed.context);
            for line in executed.lines {
                report.add(&executed.path, line, true, test);
            }
        })?;
        // The database lists only lines that were executed.
        report.files.values_mut().for_each(|file| file.is_partial = true);
        return Ok(report);
    }
    let mut bytes = start[..length].to_vec();
    let rest = std::io::Read::take(opened, REPORT_BYTES_MAX);
    std::io::Read::read_to_end(&mut { rest }, &mut bytes).map_err(failed)?;
    parse(&bytes).ok_or_else(|| {
        Error::usage("no coverage report of a known format").with_path(file).with_hint(
            "known: `.coverage`, `coverage json`, lcov, Istanbul's JSON, Go's cover profiles, the JSON \
             of llvm-cov, JaCoCo's XML",
        )
    })
}
