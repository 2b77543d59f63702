//! Tasks about a change, given as a diff or as a commit to compare with.

use super::{CART_PY, ask, json, paths, shop};

/// Returns the names of the definitions that a reply lists as changed.
fn changed(reply: &serde_json::Value) -> Vec<&str> {
    let symbols = reply["symbols"].as_array().expect("a list").iter();
    let changed = symbols.filter(|symbol| symbol["is_changed"] == true);
    changed.map(|symbol| symbol["name"].as_str().expect("a name")).collect()
}

#[test]
fn a_task_about_a_commit_covers_its_differences() {
    let place = shop();
    place.git(&["init", "-q", "-b", "main"]);
    place.git(&["add", "."]);
    place.git(&["commit", "-q", "-m", "one"]);
    let since = ["--since", "HEAD"];
    let answer = ask(&place, "what broke the login", &since);
    assert!(answer.stderr.contains("nothing differs from `HEAD`"), "{}", answer.stderr);
    place.write("shop/cart.py", CART_PY.replace("append(item)", "insert(0, item)"));
    place.write("shop/gift.py", "def wrap(item):\n    return [item]\n");
    let reply = json(&place, "what broke the tests", &since);
    assert_eq!(changed(&reply), ["add_item", "wrap"], "{reply}");
    let files = paths(&reply);
    assert!(files.contains(&"shop/gift.py".to_owned()), "{files:?}");
    let why = reply["files"]
        .as_array()
        .expect("a list")
        .iter()
        .find(|file| file["path"] == "shop/gift.py");
    assert_eq!(why.expect("it exists")["why"][0], "changed");
    let text = ask(&place, "what broke the tests", &since).expect_success().text();
    assert!(text.contains("self.items.insert(0, item)"), "{text}");
    // Only within the allowed scope.
    let reply =
        json(&place, "what broke the tests", &["--since", "HEAD", "--exclude", "shop/cart.py"]);
    assert_eq!(changed(&reply), ["wrap"], "{reply}");
    for (since, expected) in [("nowhere", "`nowhere` is not a commit"), ("", "is not a commit")] {
        let answer = ask(&place, "what broke the tests", &["--since", since]);
        assert_eq!(answer.code, 2);
        assert!(answer.stderr.contains(expected), "{}", answer.stderr);
    }
    let answer = ask(&shop(), "what broke the tests", &since);
    assert!(
        answer.code == 2 && answer.stderr.contains("not in a git repository"),
        "{}",
        answer.stderr
    );
}

const DIFF: &str = "\
--- a/shop/money.py
+++ b/shop/money.py
@@ -1,3 +1,3 @@
 def add_all(prices):
     '''Adds prices up, each rounded to cents.'''
-    return sum(round(price, 2) for price in prices)
+    return sum(prices)
";

#[test]
fn a_diff_names_files_and_definitions() {
    let place = shop();
    for is_applied in [false, true] {
        if is_applied {
            place.write("shop/money.py", "def add_all(prices):\n    '''Adds prices up, each rounded to cents.'''\n    return sum(prices)\n");
        }
        let reply = json(&place, "review this change", &["--diff", DIFF]);
        assert_eq!(changed(&reply), ["add_all"], "{reply}");
        assert_eq!(paths(&reply)[0], "shop/money.py");
        assert!(reply["calls"].to_string().contains("Cart.price"), "{reply}");
    }
    // A hunk that matches neither side still names its file.
    place.write("shop/money.py", "# empty\n");
    let reply = json(&place, "review this change", &["--diff", DIFF]);
    assert!(changed(&reply).is_empty() && paths(&reply)[0] == "shop/money.py", "{reply}");
    let answer = ask(&place, "review this change", &["--diff", "no diff"]);
    assert!(answer.code == 2 && answer.stderr.contains("not a unified diff"), "{}", answer.stderr);
    let other = DIFF.replace("money", "gone");
    let answer = ask(&place, "review this change", &["--diff", &other]);
    assert!(answer.stderr.contains("no file of the diff"), "{}", answer.stderr);
}
