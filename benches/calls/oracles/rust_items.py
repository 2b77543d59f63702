"""Lists the items of a Rust crate, those that macros make included, from rustdoc's JSON.

Run in the root of the tree: python3 rust_items.py FILE.json > list
FILE is what `cargo +nightly rustdoc -- -Z unstable-options --output-format json --document-private-items` writes. Prints
lines `PATH TAB LINE TAB NAME TAB LAST_LINE` for items in files of the tree. Items of derived implementations and of other crates,
implementation blocks, modules, re-exports and the items that the compiler adds are left out. The lines of an item that a
macro makes are those of the macro's call.
"""

import json
import os
import sys

KINDS = {
    "struct", "union", "enum", "variant", "function", "trait", "type_alias", "constant", "static", "macro",
    "assoc_const", "assoc_type", "struct_field",
}


def main():
    with open(sys.argv[1]) as file:
        crate = json.load(file)
    index = crate["index"]
    derived = set()
    for item in index.values():
        if "impl" in item["inner"]:
            block = item["inner"]["impl"]
            is_derived = "automatically_derived" in json.dumps(item.get("attrs", []))
            if is_derived or block.get("is_synthetic") or block.get("blanket_impl"):
                derived.update(map(str, block["items"]))
    for key, item in index.items():
        kind = next(iter(item["inner"]))
        span = item.get("span")
        if not span or kind not in KINDS or not item["name"] or item["crate_id"] != 0 or key in derived:
            continue
        path = os.path.relpath(os.path.realpath(span["filename"]), os.path.realpath("."))
        if path.startswith("..") or kind == "struct_field" and item["name"].isdigit():
            continue
        print(path, span["begin"][0], item["name"], span["end"][0], sep="\t")


main()
