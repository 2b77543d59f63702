//! `index`: adds another directory, or a remote repository, as a project for later calls.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::coverage::Status;
use super::projects::line;
use super::session::{Indexed, Project, Source};
use super::{Call, CommandLine, Define, Effect, Needs, Reply, Toolset};
use crate::answer::style::Style;
use crate::error::{Error, Result};

/// The tool; see [`Define`].
#[derive(Debug)]
pub struct Index;

/// The arguments.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
pub struct Args {
    /// A directory on this machine
    pub path: Option<String>,
    /// A repository (https or ssh) to clone; needs a server with `--allow-clone`
    pub url: Option<String>,
    /// Fetch again if `url` was cloned before
    #[serde(default)]
    pub update: bool,
}

/// The reply.
#[derive(Clone, Debug, Serialize)]
pub struct Added {
    /// Whether it is completely indexed.
    pub status: Status,
    /// The project.
    #[serde(flatten)]
    pub project: Project,
    /// Whether it was added by this call.
    pub new: bool,
}

impl Define for Index {
    const NAME: &'static str = "codedb_index";
    const SUMMARY: &'static str = "Add a directory or a repository as a project";
    const DETAILS: &'static str = "For code outside of this tree, such as the source of a dependency. The reply contains the \
         name that other calls pass as `project`. A long index build continues in the background.";
    const EFFECT: Effect = Effect::Adds;
    const TOOLSET: Toolset = Toolset::Navigate;
    const NEEDS: Needs = Needs::Session;
    const COMMAND_LINE: CommandLine = CommandLine::Separate;
    const EXAMPLES: &'static [&'static str] = &[r#"{"path": "../library"}"#];
    const POSITIONAL: &'static [&'static str] = &[];
    type Args = Args;
    type Reply = Added;

    fn run(call: &Call<'_>, args: Args) -> Result<Added> {
        let source = match (&args.path, &args.url) {
            (Some(path), None) if path.is_empty() => {
                return Err(Error::usage("`path` is empty").with_hint("`.` is the current tree"));
            }
            (Some(path), None) if !args.update => Source::Folder(path),
            (None, Some(url)) => Source::Remote { url, update: args.update },
            (Some(_), None) => {
                return Err(Error::usage(
                    "`update` requires `url`: directories are always current",
                ));
            }
            (Some(_), Some(_)) => return Err(Error::usage("`path` and `url` exclude each other")),
            (None, None) => {
                return Err(Error::usage("missing argument: `path` or `url`")
                    .with_hint("{\"path\": \"/home/me/library\"}"));
            }
        };
        let Some(session) = call.session else {
            return Err(Error::usage("only a server has projects")
                .with_hint("`codedb index DIR` builds an index on the command line"));
        };
        let added = session.add(source)?;
        let status = match added.project.index {
            Indexed::Full => Status::Ok,
            _ => Status::Partial,
        };
        Ok(Added { status, project: added.project, new: added.is_new })
    }
}

impl Reply for Added {
    /// Renders one line.
    fn render(&self, _: &dyn Style) -> String {
        let mut out = String::new();
        line(&mut out, &self.project);
        out
    }

    fn is_found(&self) -> bool {
        true
    }
}
