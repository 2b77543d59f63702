//! Rows for the index: build time, memory, disk space, and the first query.

use std::fs;
use std::path::Path;

use super::options::Options;
use super::process::Job;
use super::report::Line;
use super::rows::{Figure, Row, Subject};
use super::stats::{Ratio, median, ms};
use super::tree::Tree;

/// Builds (or refreshes) the index that the queries use.
pub(crate) fn ready_index(options: &Options, tree: &Tree) -> Result<(), String> {
    let Some(codedb) = &options.codedb else { return Ok(()) };
    let job = index(codedb, tree, &tree.index_dir);
    let run = job.run()?;
    if run.code == 0 {
        Ok(())
    } else {
        Err(format!("`codedb index` ended with {}: {}", run.code, run.stderr.trim()))
    }
}

/// Measures a row of this file.
pub(crate) fn row(options: &Options, tree: &Tree, row: &Row) -> Result<Line, String> {
    let mut line = Line::new(tree, row);
    let Some(codedb) = &options.codedb else { return Ok(line) };
    match row.subject {
        Subject::Build => build(options, codedb, tree, &mut line)?,
        _ => first_query(options, codedb, tree, row, &mut line)?,
    }
    Ok(line)
}

fn index(codedb: &Path, tree: &Tree, index_dir: &Path) -> Job {
    let mut job = Job::new(codedb, &tree.root, ["index", "--wait", "ready", "--root"]);
    job.args.extend([tree.root.clone().into(), "--index-dir".into(), index_dir.into()]);
    job
}

fn build(options: &Options, codedb: &Path, tree: &Tree, line: &mut Line) -> Result<(), String> {
    let index_dir = options.scratch.path().join("fresh");
    let job = index(codedb, tree, &index_dir);
    let (mut seconds, mut peaks_mb, mut index_bytes) = (Vec::new(), Vec::new(), 0);
    for _ in 0..options.runs {
        fs::remove_dir_all(&index_dir).ok();
        let (run, peak) = job.run_with_peak()?;
        if run.code != 0 {
            return Err(format!("`codedb index` ended with {}: {}", run.code, run.stderr.trim()));
        }
        seconds.push(run.wall.as_secs_f64());
        peaks_mb.extend(peak.map(|bytes| bytes as f64 / 1e6));
        index_bytes = size_bytes(&index_dir);
    }
    line.strict_ms = seconds.iter().map(|seconds| seconds * 1e3).collect();
    line.value(Figure::BuildSeconds, median(&seconds));
    // The goal for memory applies to the worst run, not to the median.
    if let Some(peak) = peaks_mb.into_iter().reduce(f64::max) {
        line.value(Figure::PeakMb, peak);
    }
    if index_bytes == 0 {
        return Err(format!("`codedb index` left nothing in {}", index_dir.display()));
    }
    line.value(Figure::SizePercent, 100.0 * index_bytes as f64 / tree.text_bytes as f64);
    line.note = format!("{:.1} MB of index", index_bytes as f64 / 1e6);
    fs::remove_dir_all(&index_dir).ok();
    Ok(())
}

fn first_query(
    options: &Options,
    codedb: &Path,
    tree: &Tree,
    row: &Row,
    line: &mut Line,
) -> Result<(), String> {
    let args = tree.args(row);
    let index_dir = options.scratch.path().join("none");
    let rg = Job::new(&options.rg, &tree.root, &args);
    let mut ours = Job::new(codedb, &tree.root, ["search", "--no-background", "--root"]);
    ours.args.extend([tree.root.clone().into(), "--index-dir".into(), index_dir.clone().into()]);
    ours.args.extend(args.iter().cloned());
    let mut sorted = rg.clone();
    sorted.args.splice(0..0, ["--sort".into(), "path".into()]);
    line.wrong |=
        sorted.drain()?.answered(&sorted)?.digest != ours.drain()?.answered(&ours)?.digest;
    for round in 0..options.runs {
        fs::remove_dir_all(&index_dir).ok();
        let ours_first = round % 2 == 0;
        let first = if ours_first { ours.drain()? } else { rg.drain()? };
        let second = if ours_first { rg.drain()? } else { ours.drain()? };
        let (our_run, rg_run) = if ours_first { (first, second) } else { (second, first) };
        line.strict_ms.push(ms(our_run.wall));
        line.rg_ms.push(ms(rg_run.wall));
    }
    fs::remove_dir_all(&index_dir).ok();
    line.value(Figure::OverRg, Ratio::of(&line.strict_ms, &line.rg_ms).median);
    Ok(())
}

/// Returns the total size of the files below `directory`.
pub(crate) fn size_bytes(directory: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(directory) else { return 0 };
    entries
        .flatten()
        .map(|entry| match entry.metadata() {
            Ok(meta) if meta.is_dir() => size_bytes(&entry.path()),
            Ok(meta) => meta.len(),
            Err(_) => 0,
        })
        .sum()
}
