//! Tests of the parser with tasks as people write them.

use super::*;

/// Returns the mentions of a task, formatted one per line.
fn mentions(task: &str) -> Vec<String> {
    let format_one = |mention: &Mention| {
        let line = mention.line.map(|line| format!(":{line}")).unwrap_or_default();
        format!("{:?} {}{line}", mention.kind, mention.text).to_lowercase()
    };
    Task::new(task).mentions.iter().map(format_one).collect()
}

#[track_caller]
fn check(task: &str, expected: &[&str]) {
    let expected: Vec<String> = expected.iter().map(|line| line.to_lowercase()).collect();
    assert_eq!(mentions(task), expected, "{task}");
}

#[test]
fn prose_mentions_names_paths_and_quoted_texts() {
    check("Where is getNextLanes and who calls it?", &["identifier getNextLanes"]);
    check("Fix the cart so that it doesn't lose items, and don't break 'em", &[]);
    check("`Cart.add` ignores the `limit` argument", &["qualified Cart.add", "identifier limit"]);
    check(
        "It says \"cart is full\" in src/shop/cart.py",
        &["literal cart is full", "path src/shop/cart.py"],
    );
    check("Rename cart::Cart::add_item()", &["qualified cart::Cart::add_item"]);
    check("call add_item() or remove(item)", &["identifier add_item", "identifier remove"]);
    check(
        "Look into **/*_test.go and docs/*.md, e.g. and/or 1/2",
        &["glob **/*_test.go", "glob docs/*.md"],
    );
    check("The TTL of GFP_KERNEL", &["identifier TTL", "identifier GFP_KERNEL"]);
    check("see cart.py:12 or https://example.com/a.py:3", &["frame cart.py:12"]);
    check("https://github.com/o/r/blob/abc123/lib/cart.rb#L7-L9", &["frame lib/cart.rb:7"]);
    check("https://github.com/o/r/issues/12", &[]);
}

#[test]
fn frames_of_many_languages_are_recognised() {
    check(
        "  File \"/usr/lib/shop/cart.py\", line 12, in add_item\n    self.items.append(item)",
        &[
            "frame /usr/lib/shop/cart.py:12",
            "identifier add_item",
            "qualified self.items.append",
            "identifier item",
        ],
    );
    check(
        "    at Cart.add (/app/src/cart.ts:12:7)",
        &["frame /app/src/cart.ts:12", "qualified Cart.add"],
    );
    check(
        "    at async run (file:///app/run.mjs:3:1)",
        &["frame /app/run.mjs:3", "identifier run"],
    );
    check(
        "\tat com.shop.Cart.add(Cart.java:31)",
        &["frame Cart.java:31", "qualified com.shop.Cart.add"],
    );
    check("\t/src/shop/cart.go:44 +0x1b", &["frame /src/shop/cart.go:44"]);
    check(
        "   at Shop.Cart.Add(Int32 n) in C:\\src\\Cart.cs:line 9",
        &["frame C:/src/Cart.cs:9", "qualified Shop.Cart.Add"],
    );
    check("thread 'main' panicked at src/cart.rs:5:9:", &["frame src/cart.rs:5"]);
    check("   3: shop::cart::Cart::add", &["qualified shop::cart::Cart::add"]);
    check("from lib/cart.rb:8:in `add'", &["frame lib/cart.rb:8", "identifier add"]);
}

#[test]
fn code_is_separated_from_prose() {
    let task =
        "Cart is empty\n\nWhat I did:\n```python\ncart = Cart(limit=3)\n```\nand nothing more\n";
    let read = Task::new(task);
    assert_eq!(read.title, "Cart is empty");
    assert_eq!(read.code, "cart = Cart(limit=3)\n");
    assert_eq!(read.prose, "Cart is empty\nWhat I did:\nand nothing more\n");
    let in_code: Vec<&str> = read.mentions.iter().map(|mention| mention.text.as_str()).collect();
    assert_eq!(in_code, ["cart", "Cart", "limit"]);
    assert!(read.mentions.iter().all(|mention| mention.is_in_code && !mention.is_marked));
}

#[test]
fn errors_are_names_and_messages() {
    check(
        "ValueError: no column `price` in table",
        &["identifier ValueError", "literal no column `price` in table", "identifier price"],
    );
}

#[test]
fn any_text_is_accepted() {
    for task in [
        "",
        " ",
        "`",
        "``",
        "```",
        "\"",
        "''",
        "'",
        "a",
        "🦀 🦀",
        "\u{0}\u{1b}[31m",
        "::",
        "....",
        "`` ` ``",
    ] {
        let read = Task::new(task);
        assert!(read.mentions.len() < 3, "{task:?}: {:?}", read.mentions);
    }
    let long = "x_y ".repeat(BYTES_MAX / 4);
    assert_eq!(Task::new(&long).mentions.len(), 1);
    let many: String = (0..5000).map(|at| format!("name_{at} ")).collect();
    assert_eq!(Task::new(&many).mentions.len(), MENTIONS_MAX);
}

#[test]
fn form_boilerplate_and_versions_are_ignored() {
    let task = "The cart 2.0 loses items\n<!-- Thanks for the report!\nPlease fill in -->\n\
        <!-- one line --> after a merge\n- Python: 3.8.0\nnumpy==1.18.1\nx = 1.5\nsince it is so\n";
    let task = Task::new(task);
    assert_eq!(task.prose, "The cart 2.0 loses items\n after a merge\nsince it is so\n");
}

#[test]
fn verbs_of_change_are_stems() {
    let verbs = "adds adjusted allow avoids bump changing cleaned convert corrected deletes deprecate disabled dropped \
        enables ensure exposed extracts fixes handling implemented improving introduce making merged moved \
        optimize prevents reduced refactors removing renamed replaces restore reverted simplify skips speed split \
        supports switched tweak updates upgraded using";
    for verb in verbs.split_whitespace() {
        let task = Task::new(&format!("{verb} the cart."));
        assert_eq!(task.kind(), TaskKind::Change, "{verb}");
    }
    assert!(CHANGE_VERBS.is_sorted());
}

#[test]
fn questions_are_recognised_by_their_form() {
    for task in [
        "how are redirects limited",
        "after a timeout, where is the delay computed",
        "Is a retry possible?",
        "Let the client follow at most five redirects.",
        "the client should follow at most five redirects",
        "parse_header",
        "header parse",
        "`Client.send`",
    ] {
        assert_eq!(Task::new(task).kind(), TaskKind::Question, "{task}");
    }
    for task in [
        "Fix the loss of items in the cart",
        "fix macOS build",
        "cart: renaming an item.",
        "fix(cart): update totals",
        "fix `add_all`",
        "Show how many items are left",
        "Fix the cart.\n\nItems were lost.",
        "How can I do this?\n\n```\nf()\n```\n",
    ] {
        assert_eq!(Task::new(task).kind(), TaskKind::Change, "{task}");
    }
}
