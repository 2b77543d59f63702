//! The weights that a repository configures in `codedb.toml`:
//!
//! ```toml
//! [risk.weights]
//! churn = 0.4
//! size = 0.1
//! ```
//!
//! The file belongs to whoever wrote the repository, so it can only set numbers between bounds.

use toml::{Table, Value};

use super::Weights;

/// The repository path of the file.
pub const NAME: &str = "codedb.toml";

/// The maximum size of the file in bytes.
pub const BYTES_MAX: u64 = 64 << 10;

/// The greatest weight.
const WEIGHT_MAX: f64 = 1.0;

impl Weights {
    /// Returns the weights that the text of `codedb.toml` configures: those that it does not name
    /// have their default. `None` if it configures no weights. O(text).
    ///
    /// # Errors
    ///
    /// A sentence without the name of the file: what is wrong, and what is valid.
    pub fn configured(text: &str) -> Result<Option<Weights>, String> {
        let table: Table = toml::from_str(text).map_err(|error| {
            let line = error.span().map_or(1, |span| {
                text.as_bytes()[..span.start.min(text.len())].split(|byte| *byte == b'\n').count()
            });
            format!("line {line} is not valid TOML")
        })?;
        let Some(weights) = table.get("risk").and_then(|risk| risk.get("weights")) else {
            return Ok(None);
        };
        let Some(given) = weights.as_table() else {
            return Err("`risk.weights` must be a table of numbers".to_owned());
        };
        let mut found = Weights::DEFAULT;
        for (name, value) in given {
            let value = match value {
                Value::Float(value) => *value,
                Value::Integer(value) => *value as f64,
                _ => f64::NAN,
            };
            let Some(weight) = found.named_mut(name) else {
                let name: String = crate::base::text::plain(name).chars().take(40).collect();
                let valid: Vec<&str> = Weights::DEFAULT.named().map(|(name, _)| name).to_vec();
                return Err(format!("`{name}` is no risk weight; valid: {}", valid.join(", ")));
            };
            if !(0.0..=WEIGHT_MAX).contains(&value) {
                return Err(format!("the risk weight `{name}` must be a number from 0 to 1"));
            }
            *weight = value;
        }
        if found.named().iter().all(|(_, weight)| *weight <= 0.0) {
            return Err("at least one risk weight must be above 0".to_owned());
        }
        Ok(Some(found))
    }

    fn named_mut(&mut self, name: &str) -> Option<&mut f64> {
        Some(match name {
            "churn" => &mut self.churn,
            "coupling" => &mut self.coupling,
            "size" => &mut self.size,
            "coverage_gap" => &mut self.coverage_gap,
            "coverage_depth" => &mut self.coverage_depth,
            "author_concentration" => &mut self.author_concentration,
            "test_instability" => &mut self.test_instability,
            _ => return None,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_that_are_not_named_have_their_default() {
        let weights = Weights::configured("[risk.weights]\nchurn = 1\nsize = 0.5\n");
        let expected = Weights { churn: 1.0, size: 0.5, ..Weights::DEFAULT };
        assert_eq!(weights, Ok(Some(expected)));
        assert_eq!(Weights::configured(""), Ok(None));
        assert_eq!(Weights::configured("[other]\nchurn = 9\n"), Ok(None));
    }

    #[test]
    fn every_weight_can_be_configured() {
        for (name, _) in Weights::DEFAULT.named() {
            let text = format!("[risk.weights]\n{name} = 0.75\n");
            let weights = Weights::configured(&text).expect("it is valid").expect("one is named");
            let of = |(other, weight): &(&str, f64)| *other == name && *weight == 0.75;
            assert!(weights.named().iter().any(of), "{name}");
        }
    }

    #[test]
    fn what_is_wrong_is_named() {
        let check = |text: &str, expected: &str| {
            let problem = Weights::configured(text).expect_err("it is not valid");
            assert!(problem.contains(expected), "{text}: {problem}");
        };
        check("[risk.weights]\nchurn = 1.5\n", "`churn` must be a number from 0 to 1");
        check("[risk.weights]\nchurn = -0.1\n", "`churn` must be a number from 0 to 1");
        check("[risk.weights]\nchurn = nan\n", "`churn` must be a number from 0 to 1");
        check("[risk.weights]\nchurn = \"x\"\n", "`churn` must be a number from 0 to 1");
        check("[risk.weights]\nchum = 1\n", "`chum` is no risk weight; valid: churn, coupling");
        check("[risk]\nweights = 3\n", "must be a table");
        check("\n[risk\n", "line 2 is not valid TOML");
        let zero: String =
            Weights::DEFAULT.named().map(|(name, _)| format!("{name} = 0\n")).concat();
        check(&format!("[risk.weights]\n{zero}"), "above 0");
    }
}
