//! Points in time as people write them; inside, nanoseconds since 1970 in UTC.
//!
//! There is no clock here: what "now" is comes from the caller.

const SECOND_NS: i64 = 1_000_000_000;
const DAY_S: i64 = 86_400;

/// Returns the time as `2026-01-31T12:00:00Z`, in whole seconds.
pub fn format(ns: i64) -> String {
    let seconds = ns.div_euclid(SECOND_NS);
    let (days, rest) = (seconds.div_euclid(DAY_S), seconds.rem_euclid(DAY_S));
    let (year, month, day) = date_of(days);
    let (hour, minute, second) = (rest / 3600, rest / 60 % 60, rest % 60);
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}Z")
}

/// Returns the time that `text` names, or `None` if it names none.
///
/// Understood are an age (`90s`, `30m`, `2h`, `3d`, `1w`), a day (`2026-01-31`) and a time of a day
/// (`2026-01-31T12:00`, perhaps with seconds, a fraction that is left out, and `Z` or `+02:00`);
/// without an offset it is UTC.
pub fn parse(text: &str, now_ns: i64) -> Option<i64> {
    age(text).map(|age_s| now_ns.saturating_sub(age_s.saturating_mul(SECOND_NS))).or_else(|| {
        let (date, time) = match text.split_once(['T', 't', ' ']) {
            Some((date, time)) => (date, time),
            None => (text, "00:00"),
        };
        let seconds = days_of_date(date)?.checked_mul(DAY_S)?.checked_add(time_of_day(time)?)?;
        seconds.checked_mul(SECOND_NS)
    })
}

fn age(text: &str) -> Option<i64> {
    let unit_s = match text.chars().last()? {
        's' => 1,
        'm' => 60,
        'h' => 3600,
        'd' => DAY_S,
        'w' => 7 * DAY_S,
        _ => return None,
    };
    number(&text[..text.len() - 1])?.checked_mul(unit_s)
}

/// Returns the seconds since midnight in UTC, which may be of another day.
fn time_of_day(text: &str) -> Option<i64> {
    let (clock, offset_s) = match text.find(['Z', 'z', '+', '-']) {
        None => (text, 0),
        Some(at) if text[at..].eq_ignore_ascii_case("z") => (&text[..at], 0),
        Some(at) => {
            let (hours, minutes) = text[at + 1..].split_once(':')?;
            let offset_s = bounded(hours, 23)? * 3600 + bounded(minutes, 59)? * 60;
            (&text[..at], if text[at..].starts_with('-') { -offset_s } else { offset_s })
        }
    };
    let mut parts = clock.splitn(3, ':');
    let (hour, minute) = (bounded(parts.next()?, 23)?, bounded(parts.next()?, 59)?);
    let second = match parts.next() {
        None => 0,
        Some(second) => bounded(second.split('.').next()?, 60)?,
    };
    Some(hour * 3600 + minute * 60 + second - offset_s)
}

fn days_of_date(text: &str) -> Option<i64> {
    let mut parts = text.splitn(3, '-');
    let (year, month, day) = (parts.next()?, parts.next()?, parts.next()?);
    if year.len() != 4 || month.len() != 2 || day.len() != 2 {
        return None;
    }
    let date = (number(year)?, number(month)?, number(day)?);
    let days = days_before(date);
    // A month that does not exist, or its 31st day, would come back as another date.
    (date_of(days) == date).then_some(days)
}

fn bounded(text: &str, max: i64) -> Option<i64> {
    number(text).filter(|&number| number <= max)
}

fn number(text: &str) -> Option<i64> {
    let digits = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if digits { text.parse().ok() } else { None }
}

/// Returns the days from 1970-01-01 to a date of the Gregorian calendar.
///
/// Years begin in March, so that a leap day is a year's last; 400 years have 146,097 days.
fn days_before((year, month, day): (i64, i64, i64)) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let (era, year_of_era) = (year.div_euclid(400), year.rem_euclid(400));
    let month_from_march = (month + 9) % 12;
    // Months from March on have 31, 30, 31, 30, 31 days, again and again.
    let day_of_year = (153 * month_from_march + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

/// Returns the date that lies so many days behind 1970-01-01.
fn date_of(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let (era, day_of_era) = (days.div_euclid(146_097), days.rem_euclid(146_097));
    let leap_days = day_of_era / 1460 - day_of_era / 36_524 + day_of_era / 146_096;
    let year_of_era = (day_of_era - leap_days) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month_from_march = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month_from_march + 2) / 5 + 1;
    let month = (month_from_march + 2) % 12 + 1;
    (year_of_era + era * 400 + i64::from(month <= 2), month, day)
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
        for text in ["", "h", "12", "2023-02-29", "2023-13-01", "main", "é", "2023-01-01T25:00"] {
            assert_eq!(parse(text, 0), None, "{text}");
        }
        assert!(parse("99999999999999999w", 0).is_none());
    }
}
