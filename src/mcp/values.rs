//! Bounds the number of values in a JSON text before it is parsed: a parsed value takes up to
//! hundreds of times the memory of its text.

/// The maximum number of values in a message.
const VALUES_MAX: usize = 10_000;

/// The error message for a text with more values.
pub(super) const TOO_MANY: &str = "a message has at most 10000 JSON values";

/// Returns true if a text has more than [`VALUES_MAX`] values, counted as the commas and brackets
/// outside of strings. O(bytes).
pub(super) fn are_too_many(json: &[u8]) -> bool {
    if json.len() <= VALUES_MAX {
        return false;
    }
    let (mut values, mut is_in_string, mut is_escaped) = (0, false, false);
    for &byte in json {
        if is_in_string {
            is_in_string = is_escaped || byte != b'"';
            is_escaped = !is_escaped && byte == b'\\';
            continue;
        }
        match byte {
            b'"' => is_in_string = true,
            b',' | b'[' | b'{' => {
                values += 1;
                if values > VALUES_MAX {
                    return true;
                }
            }
            _ => {}
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_counted_outside_of_strings() {
        let list = |values: usize| format!("[{}1]", "1,".repeat(values - 1));
        assert!(!are_too_many(list(VALUES_MAX).as_bytes()));
        assert!(are_too_many(list(VALUES_MAX + 1).as_bytes()));
        assert!(are_too_many("[".repeat(VALUES_MAX + 1).as_bytes()));
        assert!(are_too_many("{\"a\":".repeat(VALUES_MAX + 1).as_bytes()));
        let text = "[,{".repeat(VALUES_MAX);
        assert!(!are_too_many(format!("{{\"diff\":\"{text}\"}}").as_bytes()));
        assert!(!are_too_many(format!("{{\"diff\":\"\\\\\\\"{text}\"}}").as_bytes()));
        assert!(are_too_many(format!("{{\"diff\":\"\\\\\"{text}\"}}").as_bytes()));
        assert!(TOO_MANY.contains(&VALUES_MAX.to_string()));
    }
}
