//! Prints the counts of the calibration (`core/src/graph/link/calibration.rs`) of the points of samples.

use std::collections::BTreeMap;
use std::path::PathBuf;

use codedb::graph::link::{CONFIDENCE_ANSWER, CONFIDENCE_OPEN_MAX};

use crate::calibration::{self, Point};

/// The kinds of evidence and the choices, in the order of the table.
const EVIDENCE: [&str; 5] = ["Scope", "Import", "Type", "Base", "Name"];
const CHOICES: [&str; 3] = ["Only", "OneOf", "Open"];

/// Prints the rows of the table for the points of some files.
///
/// # Errors
/// If a file cannot be read.
pub(crate) fn run(paths: &[PathBuf]) -> Result<(), String> {
    let points: Vec<Point> = calibration::read(paths)?;
    let mut cells: BTreeMap<(usize, usize), BTreeMap<&str, (u32, u32)>> = BTreeMap::new();
    for point in points.iter().filter(|point| point.product > CONFIDENCE_ANSWER) {
        let cell = cells.entry((evidence(point), choice(point))).or_default();
        let counts = cell.entry(&point.language).or_default();
        counts.0 += u32::from(point.is_right);
        counts.1 += 1;
    }
    for ((evidence, choice), counts) in &cells {
        let count = |(language, (right, sites)): (&&str, &(u32, u32))| {
            format!("(\"{language}\", {right}, {sites})")
        };
        let counts: Vec<String> = counts.iter().map(count).collect();
        let (evidence, choice) = (EVIDENCE[*evidence], CHOICES[*choice]);
        println!("    (Evidence::{evidence}, Choice::{choice}, &[{}]),", counts.join(", "));
    }
    Ok(())
}

fn evidence(point: &Point) -> usize {
    match point.reason.as_str() {
        "scope" | "same_file" => 0,
        "import" | "same_package" | "star_import" | "program" => 1,
        "receiver" => 2,
        "inherited" | "implementation" => 3,
        _ => 4,
    }
}

fn choice(point: &Point) -> usize {
    match () {
        () if point.is_open => 2,
        () if point.product <= CONFIDENCE_OPEN_MAX => 1,
        () => 0,
    }
}
