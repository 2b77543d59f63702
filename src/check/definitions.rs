//! Public definitions that a line of code begins, for what an edit removes from an interface.

/// Returns the name that a line defines for users of its file; `line` has no white space around it. O(line).
pub(super) fn public<'t>(language: &str, line: &'t str) -> Option<&'t str> {
    let line = match language {
        "java" | "kotlin" => without_annotations(line),
        _ => line,
    };
    let after = |words: &[&str]| words.iter().find_map(|word| line.strip_prefix(*word));
    let rest = match language {
        "rust" => {
            let rest = line.strip_prefix("pub ")?;
            let rest =
                ["async ", "const ", "unsafe ", "extern \"C\" "].iter().fold(rest, |rest, word| {
                    match rest.strip_prefix(*word) {
                        Some(inner) if inner.contains("fn ") => inner,
                        _ => rest,
                    }
                });
            [
                "fn ", "struct ", "enum ", "trait ", "const ", "static ", "type ", "mod ",
                "macro ", "union ",
            ]
            .iter()
            .find_map(|word| rest.strip_prefix(*word))?
        }
        "python" => after(&["def ", "async def ", "class "])?,
        "go" => {
            let rest = after(&["func ", "type "])?;
            match rest.strip_prefix('(') {
                Some(receiver) => receiver.split_once(") ")?.1,
                None => rest,
            }
        }
        "javascript" | "typescript" | "tsx" => {
            let rest =
                line.strip_prefix("export ").or_else(|| after(&["exports.", "module.exports."]));
            let rest = rest?;
            let words = ["default ", "async ", "abstract ", "declare "];
            let rest =
                words.iter().fold(rest, |rest, word| rest.strip_prefix(*word).unwrap_or(rest));
            let words = ["function ", "class ", "const ", "let ", "interface ", "type ", "enum "];
            words.iter().find_map(|word| rest.strip_prefix(*word)).unwrap_or(rest)
        }
        "java" | "csharp" | "kotlin" | "swift" | "php" | "scala" | "dart" => {
            let rest = after(&["public ", "open "])?;
            let head = rest.split(['(', '{', '=', ';']).next()?.trim_end();
            let name = head.rsplit(|c: char| !c.is_alphanumeric() && c != '_').next()?;
            return (!name.is_empty()).then_some(name);
        }
        _ => return None,
    };
    let end = rest.find(|c: char| !c.is_alphanumeric() && c != '_').unwrap_or(rest.len());
    let name = &rest[..end];
    let is_public = match language {
        "python" => !name.starts_with('_'),
        "go" => name.starts_with(char::is_uppercase),
        _ => true,
    };
    (is_public && !name.is_empty()).then_some(name)
}

/// Returns a line without annotations before the definition, `@Override public …`.
fn without_annotations(mut line: &str) -> &str {
    while let Some(rest) = line.strip_prefix('@') {
        let Some((_, rest)) = rest.split_once(' ') else { break };
        line = rest.trim_start();
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn public_names_are_found() {
        for (language, line, expected) in [
            ("rust", "pub async fn a<T>(b: T) {", Some("a")),
            ("rust", "pub(crate) fn a() {", None),
            ("rust", "pub const A: u8 = 1;", Some("A")),
            ("python", "async def a(self):", Some("a")),
            ("python", "def _a():", None),
            ("go", "func (s *Server) Start() {", Some("Start")),
            ("go", "func start() {", None),
            ("javascript", "exports.a = function () {", Some("a")),
            ("typescript", "export default class A {", Some("A")),
            ("java", "public static <T> T a(B b) {", Some("a")),
            ("java", "@Override public int a() {", Some("a")),
            ("java", "private int b;", None),
            ("c", "int a(void)", None),
        ] {
            assert_eq!(public(language, line), expected, "{line}");
        }
    }
}
