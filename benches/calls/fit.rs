//! Fits the calibration (`core/src/graph/link/calibration.rs`) to points of samples.
//!
//! Isotonic regression (pool adjacent violators) of the share of right answers over bins of the product
//! of factors, for each language and class; the share of a bin is smoothed towards that of
//! all languages, as if [`PRIOR`] more answers had been drawn.

use std::path::PathBuf;

use codedb::graph::link::CONFIDENCE_ANSWER;

use crate::calibration::{self, Point};

/// The upper ends of the bins of the product.
const ENDS: [f32; 7] = [0.55, 0.65, 0.75, 0.85, 0.92, 0.96, 1.01];

/// The highest share.
const SHARE_MAX: f64 = 0.99;

/// The weight of the share of all languages, in answers.
const PRIOR: f64 = 10.0;

/// A language without so many answers has no row of its own.
const ANSWERS_MIN: usize = 30;

/// The languages that share a row.
const GROUPS: [&[&str]; 13] = [
    &["c"],
    &["cpp"],
    &["csharp"],
    &["go"],
    &["java"],
    &["javascript"],
    &["kotlin"],
    &["php"],
    &["python"],
    &["ruby"],
    &["rust"],
    &["swift"],
    &["tsx", "typescript"],
];

/// A bin: the number of answers, of right ones, and the sum of the products.
#[derive(Clone, Copy, Debug, Default)]
struct Bin {
    count: f64,
    right: f64,
    product: f64,
}

impl Bin {
    fn share(self) -> f64 {
        // As if one more answer had been wrong; nothing is certain.
        (self.right / (self.count + 1.0)).min(SHARE_MAX)
    }
}

/// Prints the rows of the table for the points of some files.
///
/// # Errors
/// If a file cannot be read.
pub(crate) fn run(paths: &[PathBuf]) -> Result<(), String> {
    let points: Vec<Point> = calibration::read(paths)?;
    for (class, is_of) in CLASSES {
        let of_class: Vec<&Point> = points
            .iter()
            .filter(|point| is_of(point) && point.product > CONFIDENCE_ANSWER)
            .collect();
        let all = bins(&of_class, |_| true);
        let print = |languages: &[&str], own: &[Bin]| {
            let both = own.iter().zip(&all);
            let smoothed: Vec<Bin> = both.map(|(own, all)| smoothed(*own, *all)).collect();
            row(languages, class, &isotonic(&smoothed));
        };
        let count = |languages: &[&str]| {
            of_class.iter().filter(|point| languages.contains(&point.language.as_str())).count()
        };
        let has_row = |languages: &&&[&str]| count(languages) >= ANSWERS_MIN;
        let named: Vec<&&[&str]> = GROUPS.iter().filter(has_row).collect();
        let is_named = |point: &Point| named.iter().any(|of| of.contains(&point.language.as_str()));
        print(&[], &bins(&of_class, |point| !is_named(point)));
        for languages in &named {
            let is_in = |point: &Point| languages.contains(&point.language.as_str());
            print(languages, &bins(&of_class, is_in));
        }
    }
    Ok(())
}

/// The classes of answers, and which points belong to them.
const CLASSES: [(&str, fn(&Point) -> bool); 3] = [
    ("Resolved", |point| !is_guess(point) && !point.is_open),
    ("Open", |point| !is_guess(point) && point.is_open),
    ("Guessed", is_guess),
];

fn is_guess(point: &Point) -> bool {
    matches!(point.reason.as_str(), "unique_name" | "only_fit")
}

fn bins(points: &[&Point], is_in: impl Fn(&Point) -> bool) -> Vec<Bin> {
    let mut bins = vec![Bin::default(); ENDS.len()];
    for point in points.iter().filter(|point| is_in(point)) {
        let bin = &mut bins[ENDS.partition_point(|end| *end <= point.product)];
        bin.count += 1.0;
        bin.right += f64::from(u8::from(point.is_right));
        bin.product += f64::from(point.product);
    }
    bins
}

fn smoothed(own: Bin, all: Bin) -> Bin {
    if all.count == 0.0 {
        return own;
    }
    let weight = PRIOR / all.count;
    Bin {
        count: own.count + PRIOR,
        right: own.right + all.right * weight,
        product: own.product + all.product * weight,
    }
}

/// Merges neighbours until the shares increase.
fn isotonic(bins: &[Bin]) -> Vec<Bin> {
    let mut merged: Vec<Bin> = Vec::new();
    for &bin in bins.iter().filter(|bin| bin.count > 0.0) {
        merged.push(bin);
        while let [.., before, last] = merged[..]
            && before.share() >= last.share()
        {
            merged.truncate(merged.len() - 2);
            merged.push(Bin {
                count: before.count + last.count,
                right: before.right + last.right,
                product: before.product + last.product,
            });
        }
    }
    merged
}

fn row(languages: &[&str], class: &str, bins: &[Bin]) {
    let knot = |bin: &Bin| format!("({:.2}, {:.3})", bin.product / bin.count, bin.share());
    let knots: Vec<String> = bins.iter().map(knot).collect();
    println!("    (&{languages:?}, Class::{class}, &[{}]),", knots.join(", "));
}
