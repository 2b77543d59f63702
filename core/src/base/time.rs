//! Conversion between text and points in time, which are nanoseconds since 1970 in UTC.
//!
//! This module reads no clock: the caller passes the current time.

use jiff::Timestamp;
use jiff::civil::{Date, DateTime};
use jiff::tz::TimeZone;

const SECOND_NS: i64 = 1_000_000_000;
const DAY_S: i64 = 86_400;

/// Returns the time as `2026-01-31T12:00:00Z`, in whole seconds.
pub fn format(ns: i64) -> String {
    // Every `i64` of nanoseconds is in the range of a `Timestamp` (years -9999 to 9999).
    Timestamp::from_second(ns.div_euclid(SECOND_NS)).unwrap_or_default().to_string()
}

/// Returns how long ago something was: `5 s ago`, `3 min ago`, `7 h ago`, `12 d ago`.
pub fn ago(age: std::time::Duration) -> String {
    let seconds = age.as_secs();
    match seconds {
        0..=119 => format!("{seconds} s ago"),
        120..=7_199 => format!("{} min ago", seconds / 60),
        7_200..=172_799 => format!("{} h ago", seconds / 3600),
        _ => format!("{} d ago", seconds / 86_400),
    }
}

/// Returns the time that `text` names, or `None` if it is not a time.
///
/// Accepted are an age (`90s`, `30m`, `2h`, `3d`, `1w`), a date (`2026-01-31`), and a date with a
/// time of day (`2026-01-31T12:00`, with optional seconds, a fraction of a second, which is
/// ignored, and `Z` or an offset such as `+02:00`). Without an offset, the time is in UTC.
pub fn parse(text: &str, now_ns: i64) -> Option<i64> {
    if let Some(age_s) = age(text) {
        return Some(now_ns.saturating_sub(age_s.saturating_mul(SECOND_NS)));
    }
    // Of the formats of ISO 8601, only dates with hyphens: `20260131` may be a commit.
    let date = text.as_bytes().first_chunk::<10>()?;
    let is_date = (0..10).all(|at| match at {
        4 | 7 => date[at] == b'-',
        _ => date[at].is_ascii_digit(),
    });
    if !is_date || text.contains('[') {
        return None;
    }
    let time = match text.parse::<Timestamp>() {
        Ok(time) => time,
        Err(_) => {
            let time = match text.len() {
                10 => text.parse::<Date>().ok()?.to_datetime(jiff::civil::Time::midnight()),
                _ => text.parse::<DateTime>().ok()?,
            };
            time.to_zoned(TimeZone::UTC).ok()?.timestamp()
        }
    };
    time.as_second().checked_mul(SECOND_NS)
}

/// Returns the seconds of an age such as `2h`. A day has 24 hours.
fn age(text: &str) -> Option<i64> {
    let unit_s = match text.chars().last()? {
        's' => 1,
        'm' => 60,
        'h' => 3600,
        'd' => DAY_S,
        'w' => 7 * DAY_S,
        _ => return None,
    };
    let digits = &text[..text.len() - 1];
    let is_number = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
    is_number.then(|| digits.parse::<i64>().ok())?.and_then(|number| number.checked_mul(unit_s))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_written_and_read() {
        for (seconds, text) in [
            (0, "1970-01-01T00:00:00Z"),
            (951_782_400, "2000-02-29T00:00:00Z"),
            (1_767_225_599, "2025-12-31T23:59:59Z"),
            (-1, "1969-12-31T23:59:59Z"),
        ] {
            assert_eq!(format(seconds * SECOND_NS), text);
            assert_eq!(parse(text, 0), Some(seconds * SECOND_NS), "{text}");
        }
    }

    #[test]
    fn days_ages_and_offsets_are_understood() {
        let day = 951_782_400 * SECOND_NS;
        assert_eq!(parse("2000-02-29", 0), Some(day));
        assert_eq!(parse("2000-02-29 01:30:00.25+01:30", 0), Some(day));
        assert_eq!(parse("2h", 7200 * SECOND_NS), Some(0));
        assert_eq!(parse("1w", 0), Some(-7 * DAY_S * SECOND_NS));
        for text in [
            "",
            "h",
            "12",
            "2023-02-29",
            "2023-13-01",
            "main",
            "é",
            "2023-01-01T25:00",
            "20230101",
            "2023-W01-1",
            "+002023-01-01",
            "9999-12-31",
            "2023-01-01T12:00[Europe/Berlin]",
        ] {
            assert_eq!(parse(text, 0), None, "{text}");
        }
        assert!(parse("99999999999999999w", 0).is_none());
    }
}
