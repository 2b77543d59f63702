//! How much slower is too slow: `benches/thresholds.toml`.

use std::collections::BTreeMap;

use serde::Deserialize;

/// The file, from the repository's root.
pub(crate) const FILE: &str = "benches/thresholds.toml";

/// What holds for one case.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Limits {
    /// Growth of instructions that still passes, as a share: 0.05 is five per cent.
    pub(crate) instructions: f64,
    /// Growth of the wall time that still passes, as a share.
    pub(crate) wall: f64,
    /// Growth of the wall time below this many nanoseconds passes, whatever share it is.
    pub(crate) wall_floor_ns: f64,
    /// Calls that take fewer nanoseconds than this on both sides are not gated on wall time.
    pub(crate) wall_from_ns: f64,
}

/// The file's content.
#[derive(Clone, Debug)]
pub(crate) struct Thresholds {
    default: Limits,
    tools: BTreeMap<String, Limits>,
}

/// The file as it is written.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    default: Section,
    #[serde(default)]
    tool: BTreeMap<String, Section>,
}

/// One section; a tool's takes what it does not say from the default.
#[derive(Clone, Copy, Deserialize)]
#[serde(deny_unknown_fields)]
struct Section {
    instructions_percent: Option<f64>,
    wall_percent: Option<f64>,
    wall_floor_us: Option<f64>,
    wall_from_us: Option<f64>,
}

impl Thresholds {
    /// Parses the file's text.
    ///
    /// # Errors
    ///
    /// As a sentence: the text is no TOML, has a key that means nothing, lacks a default, or has a number that
    /// is none or negative.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let file: File = toml::from_str(text).map_err(|error| format!("{FILE}: {error}"))?;
        let nothing = Limits {
            instructions: f64::NAN,
            wall: f64::NAN,
            wall_floor_ns: f64::NAN,
            wall_from_ns: f64::NAN,
        };
        let default = file.default.over(nothing, "default")?;
        let tools = file
            .tool
            .iter()
            .map(|(name, section)| Ok((name.clone(), section.over(default, name)?)))
            .collect::<Result<_, String>>()?;
        Ok(Self { default, tools })
    }

    /// Returns what holds for the cases of a tool.
    pub(crate) fn of(&self, tool: &str) -> Limits {
        self.tools.get(tool).copied().unwrap_or(self.default)
    }

    /// Returns the tools that have a section of their own, in their order.
    pub(crate) fn named(&self) -> impl Iterator<Item = &str> {
        self.tools.keys().map(String::as_str)
    }
}

impl Section {
    fn over(self, default: Limits, name: &str) -> Result<Limits, String> {
        let limits = Limits {
            instructions: self.instructions_percent.map_or(default.instructions, |it| it / 100.0),
            wall: self.wall_percent.map_or(default.wall, |it| it / 100.0),
            wall_floor_ns: self.wall_floor_us.map_or(default.wall_floor_ns, |it| it * 1e3),
            wall_from_ns: self.wall_from_us.map_or(default.wall_from_ns, |it| it * 1e3),
        };
        let numbers = [limits.instructions, limits.wall, limits.wall_floor_ns, limits.wall_from_ns];
        if numbers.iter().all(|number| number.is_finite() && *number >= 0.0) {
            Ok(limits)
        } else {
            Err(format!("{FILE}: `{name}` lacks a number, or has one that is negative or none"))
        }
    }
}
