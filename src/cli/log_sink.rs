//! Prints log messages to standard error, one line each.

use log::{LevelFilter, Log, Metadata, Record};

use super::report::print_message;

struct StderrSink;

static SINK: StderrSink = StderrSink;

/// Installs the logger for messages of `level` and above; by default, warnings.
pub(crate) fn install(level: Option<LevelFilter>) {
    // An error means that it is installed already.
    drop(log::set_logger(&SINK));
    log::set_max_level(level.unwrap_or(LevelFilter::Warn));
}

impl Log for StderrSink {
    fn enabled(&self, _: &Metadata<'_>) -> bool {
        true
    }

    fn log(&self, record: &Record<'_>) {
        let (level, target) = (record.level(), record.target());
        print_message(format_args!("{level}|{target}: {}", record.args()));
    }

    fn flush(&self) {}
}
