//! Files that other programs execute by themselves: when a directory is entered or opened in an
//! editor, when an agent or an interpreter starts, when git commits or a service receives a push.
//!
//! Build scripts, makefiles and tests are not listed: they are executed when the user builds or
//! tests, which an edit of any source affects as well. Files that contain instructions for models
//! (`AGENTS.md`) are texts, not programs. The lists are repeated in docs/security.md, "Files that
//! run"; a test compares both.

use std::ops::Range;
use std::sync::LazyLock;

use rustc_hash::FxHashSet;

use super::secret::folded;

/// Directories: everything below them counts. With `/`, two consecutive components.
const DIRS: &str = "
    .vscode .idea .run .zed .fleet .vim .nvim .helix .kakoune .externaltoolbuilders
    .claude .cursor .codex .gemini .windsurf .continue .roo .kiro .opencode .amazonq .junie .aider
    .husky .githooks .git-hooks .git_hooks .lefthook .hooks
    .github/workflows .github/actions .gitlab/ci .gitea/workflows .forgejo/workflows
    .circleci .buildkite .woodpecker .teamcity .semaphore .tekton .zuul.d zuul.d .azure-pipelines
    .azuredevops .builds .ci .jenkins
    .devcontainer .codesandbox .idx .mise .direnv
    .cargo .mvn .yarn gradle/wrapper .ipython
";

/// Whole names of files, in any directory.
const NAMES: &str = "
    .envrc .mise.toml mise.toml .mise.local.toml mise.local.toml .rtx.toml .autoenv .autoenv.zsh
    .exrc .vimrc _vimrc .gvimrc .lvimrc .nvimrc .nvim.lua .dir-locals.el .dir-locals-2.el .kakrc
    .mcp.json mcp.json opencode.json opencode.jsonc .aider.conf.yml
    .pre-commit-config.yaml .pre-commit-config.yml .pre-commit-hooks.yaml .overcommit.yml
    captainhook.json grumphp.yml .rusty-hook.toml .gitconfig .gitmodules
    .travis.yml .drone.yml .drone.yaml .drone.star .drone.jsonnet .woodpecker.yml .woodpecker.yaml
    .cirrus.yml .cirrus.star appveyor.yml .appveyor.yml bitbucket-pipelines.yml cloudbuild.yaml
    cloudbuild.yml buildspec.yml buildspec.yaml wercker.yml codefresh.yml .zuul.yaml zuul.yaml
    .build.yml .readthedocs.yml .readthedocs.yaml netlify.toml vercel.json action.yml action.yaml
    .gitpod.yml .devcontainer.json devfile.yaml .replit
    .bashrc .bash_profile .bash_login .profile .zshrc .zshenv .zprofile .zlogin .gdbinit .lldbinit
    .irbrc .pryrc .byebugrc .pdbrc .rprofile .rprofile.site .psqlrc .sqliterc .ghci .ocamlinit
    .iex.exs .perldb .tclshrc .screenrc .tmux.conf sitecustomize.py usercustomize.py
    rust-toolchain rust-toolchain.toml .yarnrc .yarnrc.yml .pnpmfile.cjs .bazelrc .bazelversion
    tools/bazel autorun.inf desktop.ini
";

/// Starts of names.
const STARTS: &str = "
    .envrc. jenkinsfile azure-pipelines lefthook. .lefthook. lefthook-local. .lefthook-local.
    .lintstagedrc lint-staged.config. .huskyrc husky.config. simple-git-hooks. .simple-git-hooks.
";

/// Ends of names.
const ENDS: &str =
    ".code-workspace .sublime-project .desktop .run.xml .gitlab-ci.yml .gitlab-ci.yaml";

/// The lists, by what is looked up in them.
struct Listed {
    dirs: FxHashSet<&'static [u8]>,
    names: FxHashSet<&'static [u8]>,
    starts: Vec<&'static [u8]>,
    ends: Vec<&'static [u8]>,
}

static LISTED: LazyLock<Listed> = LazyLock::new(|| Listed {
    dirs: words(DIRS).map(str::as_bytes).collect(),
    names: words(NAMES).map(str::as_bytes).collect(),
    starts: words(STARTS).map(str::as_bytes).collect(),
    ends: words(ENDS).map(str::as_bytes).collect(),
});

/// Returns true if other programs execute the file at a repository path by themselves, or read
/// from it what they execute. Case does not count, nor do characters that file systems ignore.
/// O(path).
pub fn is_executed(path: &[u8]) -> bool {
    let folded = folded(path);
    let mut names: Vec<Range<usize>> = Vec::new();
    let mut start = 0;
    for name in folded.split(|&byte| byte == b'/') {
        names.push(start..start + name.len());
        start += name.len() + 1;
    }
    // An entry has one component or two.
    let (mut ones, mut twos) =
        (names.iter().cloned(), names.windows(2).map(|of| of[0].start..of[1].end));
    let last = ones.clone().next_back().map_or(&[][..], |one| &folded[one]);
    let last_two = twos.clone().next_back().map_or(&[][..], |two| &folded[two]);
    LISTED.names.contains(last)
        || LISTED.names.contains(last_two)
        || LISTED.starts.iter().any(|start| last.starts_with(start))
        || LISTED.ends.iter().any(|end| last.ends_with(end))
        || twos.any(|two| LISTED.dirs.contains(&folded[two]))
        || ones.any(|one| LISTED.dirs.contains(&folded[one.clone()]) || is_short(&folded[one]))
}

fn words(list: &'static str) -> impl Iterator<Item = &'static str> {
    list.split_ascii_whitespace()
}

/// Returns true for a name like `VSCODE~1`, by which FAT and NTFS find a file with a longer name.
fn is_short(name: &[u8]) -> bool {
    let mut parts = name.splitn(2, |&byte| byte == b'.');
    let (base, extension) = (parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let tilde = base.iter().rposition(|&byte| byte == b'~');
    let number = tilde.map_or(&base[..0], |tilde| &base[tilde + 1..]);
    base.len() <= 8
        && extension.len() <= 3
        && !number.is_empty()
        && number.iter().all(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn executed_files_are_recognised() {
        for path in [
            ".envrc",
            "sub/.ENVRC",
            ".envrc.local",
            ".vscode/tasks.json",
            "a/.VSCode/Tasks.json",
            ".vscode",
            ".idea/runConfigurations/run.xml",
            ".mcp.json",
            ".cursor/mcp.json",
            ".husky/pre-commit",
            ".husky/_/husky.sh",
            ".github/workflows/ci.yml",
            ".GitHub/Workflows/new.yml",
            "lib/.github/actions/setup/action.yml",
            ".gitlab-ci.yml",
            "ci/build.gitlab-ci.yml",
            "Jenkinsfile",
            "Jenkinsfile.release",
            ".git\u{200c}hub/workflows/x.yml",
            ".vscode./tasks.json",
            ".vscode/tasks.json::$DATA",
            "VSCODE~1/tasks.json",
            "ENVRC~1",
            "x.code-workspace",
            "lefthook.yml",
            "tools/bazel",
            ".cargo/config.toml",
        ] {
            assert!(is_executed(path.as_bytes()), "{path}");
        }
    }

    #[test]
    fn sources_and_build_scripts_are_not_listed() {
        for path in [
            "src/main.rs",
            "Makefile",
            "build.rs",
            "package.json",
            "envrc",
            "docs/vscode/tasks.json",
            ".github/CODEOWNERS",
            ".github/dependabot.yml",
            "github/workflows/ci.yml",
            "workflows/ci.yml",
            "src/jenkins.rs",
            "bazel/tools",
            "src/tools/bazel.rs",
            "AGENTS.md",
            "a~b.rs",
            "backup.rs~",
            "backup.rs.~1~",
            "",
        ] {
            assert!(!is_executed(path.as_bytes()), "{path}");
        }
    }

    #[test]
    fn entries_have_one_or_two_components() {
        for word in [DIRS, NAMES].into_iter().flat_map(words) {
            assert!(word.split('/').count() <= 2 && !word.starts_with('/'), "{word}");
        }
        for word in [STARTS, ENDS].into_iter().flat_map(words) {
            assert!(!word.contains('/'), "{word}");
        }
    }

    #[test]
    fn the_page_on_security_has_the_complete_list() {
        let page = include_str!("../../../docs/security.md").to_lowercase();
        let (_, listed) = page.split_once("## files that run").expect("a section");
        let listed = listed.split("\n## ").next().unwrap_or_default();
        for word in [DIRS, NAMES, STARTS, ENDS].into_iter().flat_map(words) {
            let is_listed = [format!("`{word}"), format!("`{word}/*`"), format!("`*{word}`")]
                .iter()
                .any(|quoted| listed.contains(quoted));
            assert!(is_listed, "docs/security.md does not list `{word}`");
        }
    }
}
