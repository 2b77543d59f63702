//! The canonical form of JSON (RFC 8785), and that of a tool's definition, in which JSON Schema's
//! sets are sorted, too.
//!
//! Members are sorted by the UTF-16 code units of their names, numbers are written as ECMAScript
//! writes them, and there is no white space. One difference from RFC 8785: integers beyond ±2^53
//! keep all of their digits, because two limits that round to the same double are still two limits.

use std::cmp::Ordering;
use std::fmt::Write as _;

use serde_json::{Map, Number, Value};

/// The member of a definition that is not part of its content: data for programs, which no model
/// receives.
pub(super) const METADATA: &str = "_meta";

/// Returns the canonical form of a value. O(n log n) in the length of the text.
pub fn of_value(value: &Value) -> String {
    let mut out = String::new();
    write(&mut out, value, Role::Data);
    out
}

/// Returns the canonical form of a tool's definition, with `_meta`. The arrays of its schemas that
/// are sets (`required`, `type`, `dependentRequired`) are sorted. O(n log n).
pub fn of_definition(tool: &Value) -> String {
    let mut out = String::new();
    write(&mut out, tool, Role::Definition);
    out
}

/// Appends the canonical form of a tool's content: its definition without `_meta`. O(n log n).
pub(super) fn write_content(out: &mut String, tool: &Value) {
    write(out, tool, Role::Content);
}

/// Returns the canonical form of one member of a tool's definition.
pub(super) fn of_member(name: &str, value: &Value) -> String {
    let mut out = String::new();
    write(&mut out, value, Role::Content.of_member(name));
    out
}

/// Returns true if two values are written alike, with members in the same order. This is cheaper than
/// a comparison of canonical forms, and sufficient for equality but not necessary.
pub(super) fn is_same(a: &Value, b: &Value) -> bool {
    match (a, b) {
        (Value::Array(a), Value::Array(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| is_same(a, b))
        }
        (Value::Object(a), Value::Object(b)) => {
            let mut members = a.iter().zip(b);
            a.len() == b.len()
                && members.all(|((name, a), (other, b))| name == other && is_same(a, b))
        }
        (Value::Array(_) | Value::Object(_), _) | (_, Value::Array(_) | Value::Object(_)) => false,
        _ => a == b,
    }
}

/// What a value is in a definition, which decides how its arrays are compared.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
enum Role {
    /// Any value.
    Data,
    /// A whole definition of a tool.
    Definition,
    /// A definition without `_meta`.
    Content,
    /// A schema, or an array of schemas.
    Schema,
    /// An object whose values are schemas.
    SchemasByName,
    /// An array whose order has no meaning.
    Set,
    /// An object whose values are such arrays.
    SetsByName,
}

impl Role {
    /// Returns the role of the member `name` of an object with this role.
    fn of_member(self, name: &str) -> Role {
        match self {
            Role::Data | Role::Set => Role::Data,
            Role::SchemasByName => Role::Schema,
            Role::SetsByName => Role::Set,
            Role::Definition | Role::Content => match name {
                "inputSchema" | "outputSchema" => Role::Schema,
                _ => Role::Data,
            },
            Role::Schema => match name {
                "required" | "type" => Role::Set,
                "dependentRequired" => Role::SetsByName,
                "properties" | "patternProperties" | "dependentSchemas" | "dependencies"
                | "$defs" | "definitions" => Role::SchemasByName,
                // The order of `enum` is kept: models prefer what comes first.
                "enum" | "const" | "default" | "example" | "examples" => Role::Data,
                _ => Role::Schema,
            },
        }
    }
}

fn write(out: &mut String, value: &Value, role: Role) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Number(number) => write_number(out, number),
        Value::String(text) => write_string(out, text),
        Value::Array(items) => write_array(out, items, role),
        Value::Object(members) => write_object(out, members, role),
    }
}

fn write_array(out: &mut String, items: &[Value], role: Role) {
    let mut set: Vec<&str> = Vec::new();
    if role == Role::Set {
        set = items.iter().map_while(Value::as_str).collect();
    }
    out.push('[');
    if !set.is_empty() && set.len() == items.len() {
        set.sort_unstable_by(|a, b| utf16_order(a, b));
        for (at, text) in set.into_iter().enumerate() {
            separate(out, at);
            write_string(out, text);
        }
    } else {
        let role = if role == Role::Schema { role } else { Role::Data };
        for (at, item) in items.iter().enumerate() {
            separate(out, at);
            write(out, item, role);
        }
    }
    out.push(']');
}

fn write_object(out: &mut String, members: &Map<String, Value>, role: Role) {
    let kept = || members.iter().filter(|(name, _)| role != Role::Content || *name != METADATA);
    if kept().is_sorted_by(|(a, _), (b, _)| utf16_order(a, b) == Ordering::Less) {
        write_members(out, kept(), role);
    } else {
        let mut sorted: Vec<(&String, &Value)> = kept().collect();
        sorted.sort_unstable_by(|(a, _), (b, _)| utf16_order(a, b));
        write_members(out, sorted.into_iter(), role);
    }
}

fn write_members<'v>(
    out: &mut String,
    members: impl Iterator<Item = (&'v String, &'v Value)>,
    role: Role,
) {
    out.push('{');
    for (at, (name, value)) in members.enumerate() {
        separate(out, at);
        write_string(out, name);
        out.push(':');
        write(out, value, role.of_member(name));
    }
    out.push('}');
}

fn separate(out: &mut String, at: usize) {
    if at > 0 {
        out.push(',');
    }
}

/// Compares two texts by their UTF-16 code units, as RFC 8785 sorts names.
pub(super) fn utf16_order(a: &str, b: &str) -> Ordering {
    // The order of UTF-8 differs only for characters from U+E000 on, whose first byte is 0xEE or more.
    let is_low = |text: &str| text.bytes().all(|byte| byte < 0xEE);
    if is_low(a) && is_low(b) { a.cmp(b) } else { a.encode_utf16().cmp(b.encode_utf16()) }
}

/// The bytes that a JSON string cannot contain as they are.
const ESCAPED: [bool; 256] = {
    let mut escaped = [false; 256];
    let mut byte = 0;
    while byte < 0x20 {
        escaped[byte] = true;
        byte += 1;
    }
    escaped[b'"' as usize] = true;
    escaped[b'\\' as usize] = true;
    escaped
};

fn write_string(out: &mut String, text: &str) {
    out.push('"');
    let mut rest = text;
    while let Some(at) = rest.bytes().position(|byte| ESCAPED[usize::from(byte)]) {
        out.push_str(&rest[..at]);
        match rest.as_bytes()[at] {
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            0x08 => out.push_str("\\b"),
            b'\t' => out.push_str("\\t"),
            b'\n' => out.push_str("\\n"),
            0x0C => out.push_str("\\f"),
            b'\r' => out.push_str("\\r"),
            other => {
                let _ = write!(out, "\\u{other:04x}");
            }
        }
        rest = &rest[at + 1..];
    }
    out.push_str(rest);
    out.push('"');
}

fn write_number(out: &mut String, number: &Number) {
    match number.as_f64() {
        Some(double) if number.is_f64() => write_double(out, double),
        _ => {
            let _ = write!(out, "{number}");
        }
    }
}

/// Appends a finite double as ECMAScript's `Number::toString` writes it.
fn write_double(out: &mut String, double: f64) {
    if double == 0.0 {
        out.push('0');
        return;
    }
    if double < 0.0 {
        out.push('-');
    }
    // The shortest digits that denote this double, and its decimal exponent.
    let text = format!("{:e}", double.abs());
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let digits = mantissa.replace('.', "");
    let exponent: i32 = exponent.parse().unwrap_or_default();
    // The number is 0.digits × 10^point.
    let (count, point) = (digits.len() as i32, exponent + 1);
    let zeros = |out: &mut String, count: i32| (0..count).for_each(|_| out.push('0'));
    if count <= point && point <= 21 {
        out.push_str(&digits);
        zeros(out, point - count);
    } else if 0 < point && point <= 21 {
        out.push_str(&digits[..point as usize]);
        out.push('.');
        out.push_str(&digits[point as usize..]);
    } else if -6 < point && point <= 0 {
        out.push_str("0.");
        zeros(out, -point);
        out.push_str(&digits);
    } else {
        out.push_str(&digits[..1]);
        if count > 1 {
            out.push('.');
            out.push_str(&digits[1..]);
        }
        let _ = write!(out, "e{exponent:+}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(json: &str, expected: &str) {
        let value: Value = serde_json::from_str(json).expect("valid JSON");
        assert_eq!(of_value(&value), expected);
    }

    #[track_caller]
    fn check_tool(json: &str, expected: &str) {
        let value: Value = serde_json::from_str(json).expect("valid JSON");
        assert_eq!(of_definition(&value), expected);
    }

    #[test]
    fn members_are_sorted_by_utf16_code_units() {
        check(r#"{ "b": 1, "a": {"d": [], "c": {}} }"#, r#"{"a":{"c":{},"d":[]},"b":1}"#);
        // The example of RFC 8785, 3.2.3: U+1F600 begins with 0xD83D, before U+FB33.
        check(
            r#"{"\u20ac":1,"\r":2,"\ufb33":3,"1":4,"\ud83d\ude00":5,"\u0080":6,"\u00f6":7}"#,
            "{\"\\r\":2,\"1\":4,\"\u{80}\":6,\"ö\":7,\"€\":1,\"😀\":5,\"\u{fb33}\":3}",
        );
    }

    #[test]
    fn strings_have_the_shortest_escapes() {
        check(
            r#""\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/\b\f\t\r\u007f""#,
            "\"€$\\u000f\\nA'B\\\"\\\\\\\\\\\"/\\b\\f\\t\\r\u{7f}\"",
        );
    }

    #[test]
    fn numbers_are_written_as_ecmascript_writes_them() {
        // From appendix B of RFC 8785, by their bits.
        for (bits, expected) in [
            (0x0000_0000_0000_0000, "0"),
            (0x8000_0000_0000_0000, "0"),
            (0x0000_0000_0000_0001, "5e-324"),
            (0x8000_0000_0000_0001, "-5e-324"),
            (0x7fef_ffff_ffff_ffff, "1.7976931348623157e+308"),
            (0x4340_0000_0000_0000, "9007199254740992"),
            (0x4430_0000_0000_0000, "295147905179352830000"),
            (0x44b5_2d02_c7e1_4af5, "9.999999999999997e+22"),
            (0x44b5_2d02_c7e1_4af6, "1e+23"),
            (0x444b_1ae4_d6e2_ef4e, "999999999999999700000"),
            (0x444b_1ae4_d6e2_ef50, "1e+21"),
            (0x3eb0_c6f7_a0b5_ed8c, "9.999999999999997e-7"),
            (0x3eb0_c6f7_a0b5_ed8d, "0.000001"),
            (0x41b3_de43_5555_5553, "333333333.3333332"),
            (0xbecb_f647_612f_3696, "-0.0000033333333333333333"),
        ] {
            let number = Number::from_f64(f64::from_bits(bits)).expect("finite");
            assert_eq!(of_value(&Value::Number(number)), expected);
        }
        check("[1.0, 1, -0.0, 10e1]", "[1,1,0,100]");
        check(
            "[9007199254740993, -9007199254740993, 18446744073709551615]",
            "[9007199254740993,-9007199254740993,18446744073709551615]",
        );
    }

    #[test]
    fn sets_of_schemas_are_sorted() {
        check_tool(
            r#"{"inputSchema": {"required": ["b", "a"], "type": ["string", "null"]}}"#,
            r#"{"inputSchema":{"required":["a","b"],"type":["null","string"]}}"#,
        );
        let nested = r#"{"outputSchema":{"items":[{"required":["a","b"]}],"properties":{"required":{"type":["a","b"]}}}}"#;
        check_tool(&nested.replace(r#"["a","b"]"#, r#"["b","a"]"#), nested);
        check_tool(
            r#"{"inputSchema":{"dependentRequired":{"x":["b","a"]}}}"#,
            r#"{"inputSchema":{"dependentRequired":{"x":["a","b"]}}}"#,
        );
    }

    #[test]
    fn other_arrays_keep_their_order() {
        for unchanged in [
            r#"{"inputSchema":{"enum":["b","a"]}}"#,
            r#"{"inputSchema":{"default":{"required":["b","a"]}}}"#,
            r#"{"inputSchema":{"required":["b",1]}}"#,
            r#"{"inputSchema":{"properties":{"type":{"enum":["b","a"]}}}}"#,
            r#"{"annotations":{"required":["b","a"]}}"#,
            r#"{"required":["b","a"]}"#,
        ] {
            check_tool(unchanged, unchanged);
        }
    }
}
