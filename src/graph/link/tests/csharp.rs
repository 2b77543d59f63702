//! C#: nested namespaces.

use super::check;

/// A file of the namespace `N.Inner` did not see names of `N` without `using`.
#[test]
fn names_of_enclosing_namespaces_are_visible() {
    let tree = |body: &str| {
        format!(
            "//- /A.cs\nnamespace N;\npublic static class Util {{ public static void Deep() {{}} }}\n\
             public class K {{ public void Meth() {{}} }}\n\
             //- /B.cs\nnamespace N.Inner;\npublic class K {{ public void Meth() {{}} }}\n\
             //- /C.cs\nnamespace N.Inner;\nclass P {{ void Go() {{ {body} }} }}\n\
             //- /D.cs\nnamespace Other;\npublic static class Far {{ public static void Gone() {{}} }}\n"
        )
    };
    check(&tree("Util.$0Deep();"), "A.cs:2 Util.Deep Receiver");
    check(&tree("var k = new K(); k.$0Meth();"), "B.cs:2 K.Meth Receiver");
    check(&tree("Far.$0Gone();"), "D.cs:2 Far.Gone UniqueName");
}
