//! Where the libraries' log messages go: to standard error, one line each.

use log::{LevelFilter, Log, Metadata, Record};

use super::report::print_message;

struct StderrSink;

static SINK: StderrSink = StderrSink;

/// Sends messages of `level` and above to standard error; without a level, warnings.
pub(crate) fn install(level: Option<LevelFilter>) {
    // A second call finds the sink in place, which is what it wants.
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
