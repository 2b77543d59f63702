//! When a request is sent again.

use std::time::Duration;

use jiff::Timestamp;
use jiff::fmt::rfc2822;

use super::http::Response;

/// The longest delay that a service can ask for. A request that has to wait longer fails at once:
/// to send it earlier would be refused again.
pub(super) const REQUESTED_MAX: Duration = Duration::from_secs(60);

/// The first delay without a request of the service.
const FIRST: Duration = Duration::from_millis(500);

/// The longest delay without a request of the service.
const LAST: Duration = Duration::from_secs(8);

/// Whether a failed request may succeed if it is sent again.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub(super) enum Retry {
    /// It will fail again.
    Never,
    /// After a delay that grows with each attempt.
    BackOff,
    /// After the delay that the service asked for.
    After(Duration),
}

/// Returns the delay before the next attempt if `failed` attempts (at least 1) failed: 0.5 s,
/// doubled with each further one up to 8 s, of which a random part of up to one half is left out,
/// so that clients that failed together do not return together. `random` is from 0 to 1.
pub(super) fn back_off(failed: u32, random: f64) -> Duration {
    let doublings = failed.saturating_sub(1).min(16);
    let full = FIRST.saturating_mul(1 << doublings).min(LAST);
    full.mul_f64(1.0 - random.clamp(0.0, 1.0) / 2.0)
}

/// Returns whether to send a request again that was answered by `response`, a failure.
pub(super) fn after(response: &Response, now: Timestamp) -> Retry {
    match response.status {
        408 | 429 | 500..=599 => match requested(response, now) {
            Some(delay) => Retry::After(delay),
            None => Retry::BackOff,
        },
        _ => Retry::Never,
    }
}

/// Returns the delay that the service asks for: in milliseconds (a header of OpenAI), in seconds, or
/// until a date (RFC 9110, section 10.2.3). Anything else counts as missing.
fn requested(response: &Response, now: Timestamp) -> Option<Duration> {
    response.retry_headers.iter().find_map(|(name, value)| {
        let value = value.trim();
        if let Ok(number) = value.parse::<f64>() {
            let seconds = if *name == "retry-after-ms" { number / 1000.0 } else { number };
            // Negative and huge values fail.
            return Duration::try_from_secs_f64(seconds).ok();
        }
        let date = rfc2822::DateTimeParser::new().parse_timestamp(value).ok()?;
        Some(Duration::try_from(now.until(date).ok()?).unwrap_or_default())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn delays_double_up_to_a_limit() {
        let ms = |failed, random| back_off(failed, random).as_millis();
        assert_eq!(
            [1, 2, 3, 4, 5, 6, 99].map(|n| ms(n, 0.0)),
            [500, 1000, 2000, 4000, 8000, 8000, 8000]
        );
        assert_eq!([1, 2, 99].map(|n| ms(n, 1.0)), [250, 500, 4000]);
        assert_eq!(ms(1, 0.5), 375);
    }

    #[test]
    fn requested_delays_are_read() {
        let now: Timestamp = "1994-11-06T08:49:00Z".parse().expect("a time");
        let check = |headers: &[(&'static str, &str)], expected: Option<f64>| {
            let retry_headers = headers.iter().map(|(n, v)| (*n, (*v).to_owned())).collect();
            let response = Response { status: 429, retry_headers, body: Vec::new() };
            let expected = match expected {
                Some(seconds) => Retry::After(Duration::from_secs_f64(seconds)),
                None => Retry::BackOff,
            };
            assert_eq!(after(&response, now), expected, "{headers:?}");
        };
        check(&[], None);
        check(&[("retry-after", "7")], Some(7.0));
        check(&[("retry-after", " 0.25 ")], Some(0.25));
        check(&[("retry-after-ms", "1500"), ("retry-after", "9")], Some(1.5));
        check(&[("retry-after-ms", "soon"), ("retry-after", "9")], Some(9.0));
        check(&[("retry-after", "Sun, 06 Nov 1994 08:49:37 GMT")], Some(37.0));
        check(&[("retry-after", "Sun, 06 Nov 1994 08:00:00 GMT")], Some(0.0));
        for value in ["", "-1", "NaN", "inf", "1e300", "tomorrow", "1994-11-06"] {
            check(&[("retry-after", value)], None);
        }
    }

    #[test]
    fn only_failures_that_pass_are_repeated() {
        let after = |status| {
            let response = Response { status, retry_headers: Vec::new(), body: Vec::new() };
            after(&response, Timestamp::UNIX_EPOCH)
        };
        for status in [408, 429, 500, 502, 503, 504, 529] {
            assert_eq!(after(status), Retry::BackOff, "{status}");
        }
        for status in [301, 307, 400, 401, 403, 404, 413, 422] {
            assert_eq!(after(status), Retry::Never, "{status}");
        }
    }
}
