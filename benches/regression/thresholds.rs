//! The limits of slowdowns: `benches/thresholds.toml`.

use std::collections::BTreeMap;

use serde::Deserialize;

/// The file, from the repository's root.
pub(crate) const FILE: &str = "benches/thresholds.toml";

/// The limits of one case.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Limits {
    /// The accepted growth of instructions, as a share: 0.05 is five per cent.
    pub(crate) instructions: f64,
    /// The accepted growth of the wall time, as a share.
    pub(crate) wall: f64,
    /// The accepted growth of the wall time in nanoseconds, whatever the share.
    pub(crate) wall_floor_ns: f64,
    /// Calls of fewer nanoseconds on both sides are not gated on wall time.
    pub(crate) wall_from_ns: f64,
}

/// The file's content.
#[derive(Clone, Debug)]
pub(crate) struct Thresholds {
    default: Limits,
    tools: BTreeMap<String, Limits>,
}

/// The format of the file.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    default: Section,
    #[serde(default)]
    tool: BTreeMap<String, Section>,
}

/// One section; missing values of a tool come from the default.
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
    /// One sentence: the text is not TOML, has an unknown key, lacks a default, or has an invalid
    /// or negative number.
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

    /// Returns the limits of a tool's cases.
    pub(crate) fn of(&self, tool: &str) -> Limits {
        self.tools.get(tool).copied().unwrap_or(self.default)
    }

    /// Returns the tools with a section, in order.
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
