//! How often answers are right, by their stated confidence.

use std::path::{Path, PathBuf};

use codedb::graph::link::Reason;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};

/// The number of buckets of confidence.
const BUCKETS: usize = 10;

/// The most likely answer to one site, guesses below the threshold included.
#[derive(Debug, Deserialize, Serialize)]
pub(crate) struct Point {
    /// The name of the tree's directory.
    pub(crate) tree: String,
    pub(crate) language: String,
    /// The reason of the link.
    pub(crate) reason: String,
    /// The product of the linker's factors.
    pub(crate) product: f32,
    /// Nothing selects this one of several overloads.
    pub(crate) is_open: bool,
    /// The stated confidence.
    pub(crate) confidence: f32,
    /// The oracle gives the same definition; false if it gives another one, or one outside of the tree.
    pub(crate) is_right: bool,
}

/// Returns the name of a reason in replies.
pub(crate) fn word(reason: Reason) -> String {
    serde_json::to_value(reason)
        .ok()
        .and_then(|it| it.as_str().map(str::to_owned))
        .unwrap_or_default()
}

/// The answers of one range of confidences.
#[derive(Clone, Copy, Debug, Default)]
struct Bucket {
    count: usize,
    right: usize,
    stated: f64,
}

/// Prints, for each tenth of confidence, the number of answers, the mean stated confidence, and the
/// share that is right; then the mean distance of the two, weighted by the number of answers.
pub(crate) fn print(points: &[Point]) {
    let mut buckets = [Bucket::default(); BUCKETS];
    for point in points {
        let at = ((point.confidence * BUCKETS as f32) as usize).min(BUCKETS - 1);
        let bucket = &mut buckets[at];
        bucket.count += 1;
        bucket.right += usize::from(point.is_right);
        bucket.stated += f64::from(point.confidence);
    }
    let mut distance = 0.0;
    for (at, bucket) in buckets.iter().enumerate().rev().filter(|(_, bucket)| bucket.count > 0) {
        let stated = bucket.stated / bucket.count as f64;
        let right = bucket.right as f64 / bucket.count as f64;
        distance += (stated - right).abs() * bucket.count as f64;
        println!(
            "    {:.1} to {:.1}: {} answers, stated {stated:.3}, right {right:.3}",
            at as f64 / BUCKETS as f64,
            (at + 1) as f64 / BUCKETS as f64,
            bucket.count,
        );
    }
    println!("    mean distance {:.3} of {}", distance / points.len().max(1) as f64, points.len());
}

/// Appends records to a file, one JSON object per line.
pub(crate) fn append<T: Serialize>(path: &Path, records: &[T]) -> Result<(), String> {
    use std::io::Write as _;
    let shown = path.display();
    let mut file = std::fs::OpenOptions::new()
        .create(true)
        .append(true)
        .open(path)
        .map_err(|error| format!("{shown}: {error}"))?;
    for record in records {
        let line = serde_json::to_string(record).map_err(|error| error.to_string())?;
        writeln!(file, "{line}").map_err(|error| format!("{shown}: {error}"))?;
    }
    Ok(())
}

/// Prints the table of the points in files that [`append`] wrote: of all, and of each language.
pub(crate) fn of_files(paths: &[PathBuf]) -> Result<(), String> {
    let mut points: Vec<Point> = read(paths)?;
    println!("all languages");
    print(&points);
    points.sort_by(|a, b| a.language.cmp(&b.language));
    for of_language in points.chunk_by(|a, b| a.language == b.language) {
        println!("{}", of_language[0].language);
        print(of_language);
    }
    Ok(())
}

/// Returns the records in files that [`append`] wrote.
pub(crate) fn read<T: DeserializeOwned>(paths: &[PathBuf]) -> Result<Vec<T>, String> {
    let mut records = Vec::new();
    for path in paths {
        let shown = path.display();
        let text = std::fs::read_to_string(path).map_err(|error| format!("{shown}: {error}"))?;
        for line in text.lines() {
            records.push(serde_json::from_str(line).map_err(|error| format!("{shown}: {error}"))?);
        }
    }
    Ok(records)
}
