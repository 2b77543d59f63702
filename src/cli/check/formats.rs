//! The reply of a check as SARIF 2.1.0 and as annotations of GitHub's workflows.

use std::fmt::Write as _;

use serde_json::{Value, json};

/// Returns the reply as SARIF: a result for each file whose level is at least medium.
pub(super) fn sarif(reply: &Value) -> String {
    let results: Vec<Value> = files(reply)
        .map(|(path, level, text)| {
            json!({
                "ruleId": "change-risk",
                "level": if level == "MEDIUM" { "warning" } else { "error" },
                "message": {"text": text},
                "locations": [{"physicalLocation": {
                    "artifactLocation": {"uri": encoded(path), "uriBaseId": "ROOT"},
                }}],
                "properties": {"risk": level, "confidence": reply["confidence"]},
            })
        })
        .collect();
    let log = json!({
        "$schema": "https://json.schemastore.org/sarif-2.1.0.json",
        "version": "2.1.0",
        "runs": [{
            "tool": {"driver": {
                "name": "codedb",
                "version": env!("CARGO_PKG_VERSION"),
                "rules": [{
                    "id": "change-risk",
                    "shortDescription": {"text": "A change with signs of risk"},
                }],
            }},
            "results": results,
            "properties": {
                "level": reply["level"],
                "confidence": reply["confidence"],
                "reasons": reply["reasons"],
                "recommendations": reply["recommendations"],
                "unknown": reply["unknown"],
            },
        }],
    });
    format!("{}\n", serde_json::to_string_pretty(&log).unwrap_or_default())
}

/// Returns the reply as workflow commands: one for the change, one for each file whose level is at
/// least medium.
pub(super) fn github(reply: &Value) -> String {
    let level = reply["level"].as_str().unwrap_or("LOW");
    let list = |name: &str| -> Vec<&str> {
        reply[name].as_array().into_iter().flatten().filter_map(Value::as_str).collect()
    };
    let mut out = String::new();
    let text = [list("reasons"), list("recommendations")].concat().join("; ");
    let _ = writeln!(
        out,
        "::{} title={}::{}",
        command(level),
        property(&format!("risk {level}")),
        data(&text)
    );
    for (path, level, text) in files(reply) {
        let _ = writeln!(
            out,
            "::{} file={},title={}::{}",
            command(level),
            property(path),
            property(&format!("risk {level}")),
            data(&text)
        );
    }
    out
}

fn command(level: &str) -> &'static str {
    match level {
        "LOW" => "notice",
        "MEDIUM" => "warning",
        _ => "error",
    }
}

/// Returns path, level and reasons of the files whose level is at least medium.
fn files(reply: &Value) -> impl Iterator<Item = (&str, &str, String)> {
    reply["files"].as_array().into_iter().flatten().filter_map(|file| {
        let (path, level) = (file["path"].as_str()?, file["level"].as_str()?);
        let components = file["components"].as_array().into_iter().flatten();
        let over = components.filter(|it| it["is_over"] == true);
        let texts: Vec<&str> = over.filter_map(|it| it["text"].as_str()).collect();
        let text = if texts.is_empty() { "see the verdict".to_owned() } else { texts.join("; ") };
        (level != "LOW").then_some((path, level, text))
    })
}

/// Escapes the text of a workflow command, so that names and messages cannot contain another one.
fn data(text: &str) -> String {
    // Other control characters and marks of direction are escaped as everywhere.
    let lines = text.split('\n').map(|line| crate::base::text::plain(line.trim_end_matches('\r')));
    let text = lines.collect::<Vec<_>>().join("\n");
    text.replace('%', "%25").replace('\r', "%0D").replace('\n', "%0A")
}

fn property(text: &str) -> String {
    data(text).replace(':', "%3A").replace(',', "%2C")
}

/// Percent-encodes a path for a URI reference.
fn encoded(path: &str) -> String {
    let mut out = String::new();
    for byte in path.bytes() {
        if byte.is_ascii_alphanumeric() || b"/-._~".contains(&byte) {
            out.push(char::from(byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply() -> Value {
        json!({
            "level": "HIGH", "confidence": 0.5, "reasons": ["a\n::error::b"],
            "recommendations": [], "unknown": [],
            "files": [
                {"path": "a b,c.rs", "level": "MEDIUM", "components": [
                    {"text": "large", "is_over": true}, {"text": "no", "is_over": false}]},
                {"path": "b.rs", "level": "LOW", "components": []},
            ],
        })
    }

    #[test]
    fn annotations_cannot_be_forged() {
        let expected = "::error title=risk HIGH::a%0A::error::b\n::warning file=a b%2Cc.rs,title=risk MEDIUM::large\n";
        assert_eq!(github(&reply()), expected);
    }

    #[test]
    fn sarif_has_a_result_for_each_risky_file() {
        let log: Value = serde_json::from_str(&sarif(&reply())).expect("it is JSON");
        let results = log["runs"][0]["results"].as_array().expect("a list");
        assert_eq!(results.len(), 1);
        let place = &results[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"];
        assert_eq!((place, &results[0]["level"]), (&"a%20b%2Cc.rs".into(), &"warning".into()));
    }
}
