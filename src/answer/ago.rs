//! Times relative to now, in words.

use crate::base::time;

const SECOND_NS: i64 = 1_000_000_000;
const DAY_S: i64 = 86_400;

/// Returns how long ago a time was, in words; `None` for a time to come, and for other texts. A day is
/// counted as a day: today, yesterday, 3 days ago.
pub fn ago(text: &str, now_ns: i64) -> Option<String> {
    let time_s = time::parse(text, now_ns)?.div_euclid(SECOND_NS);
    let now_s = now_ns.div_euclid(SECOND_NS);
    let is_day = text.len() == 10;
    let age_s = if is_day { (now_s.div_euclid(DAY_S) * DAY_S) - time_s } else { now_s - time_s };
    let words = |count: i64, unit: &str| {
        let plural = if count == 1 { "" } else { "s" };
        Some(format!("{count} {unit}{plural} ago"))
    };
    let days = age_s.div_euclid(DAY_S);
    match age_s {
        ..0 => None,
        _ if is_day && days == 0 => Some("today".to_owned()),
        _ if is_day && days == 1 => Some("yesterday".to_owned()),
        0..90 => words(age_s, "second"),
        90..5_400 => words((age_s + 30) / 60, "minute"),
        5_400..129_600 => words((age_s + 1_800) / 3_600, "hour"),
        _ if days < 14 => words(days, "day"),
        _ if days < 70 => words(days / 7, "week"),
        _ if days < 365 => words(days / 30, "month"),
        _ => words(days / 365, "year"),
    }
}
