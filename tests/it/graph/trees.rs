//! Small trees of several languages in their usual layout: path and text of each file.

pub(super) const PYTHON: &[(&str, &str)] = &[
    ("shop/__init__.py", "from .cart import Cart\n"),
    (
        "shop/cart.py",
        "import os\nfrom .money import price as cost\n\n\nclass Cart:\n    def __init__(self):\n        \
         self.items = []\n\n    def add(self, item):\n        self.items.append(item)\n        return \
         self.total()\n\n    def total(self):\n        return sum(cost(i) for i in self.items)\n",
    ),
    (
        "shop/money.py",
        "def price(item):\n    return round_up(item.price)\n\n\ndef round_up(n):\n    return n\n",
    ),
    (
        "app.py",
        "from shop import Cart\nfrom shop.money import price\nimport requests\n\n\ndef main(name):\n    cart = \
         Cart()\n    cart.add(1)\n    return map(price, [])\n\n\ndef plugin(name):\n    return \
         __import__(name)\n",
    ),
    ("tests/test_cart.py", "from shop.cart import Cart\n\n\ndef test_add():\n    Cart().add(2)\n"),
];

pub(super) const TYPESCRIPT: &[(&str, &str)] = &[
    ("package.json", "{\"name\": \"web\"}\n"),
    (
        "src/store.ts",
        "export class Store {\n  load(id: string): Item {\n    return parse(id);\n  }\n}\n\nexport \
         function parse(id: string): Item {\n  return { id };\n}\n\nexport interface Item {\n  id: \
         string;\n}\n\nfunction make(): Store {\n  return new Store();\n}\n\nexport default make;\n",
    ),
    ("src/index.ts", "export { Store, parse as read } from './store';\n"),
    (
        "src/page.ts",
        "import { Store, read } from './index';\nimport open from './store';\nimport type { Item } from './store';\nimport React \
         from 'react';\n\nexport function show(store: Store): Item {\n  read('a');\n  open();\n  return \
         store.load('b');\n}\n",
    ),
];

pub(super) const GO: &[(&str, &str)] = &[
    ("go.mod", "module example.com/app\n"),
    (
        "store/store.go",
        "package store\n\nfunc New() *Store { return &Store{} }\n\ntype Store struct{}\n",
    ),
    (
        "store/get.go",
        "package store\n\nfunc (s *Store) Get(k string) string { return clean(k) }\n\nfunc clean(k string) string { return k }\n",
    ),
    (
        "main.go",
        "package main\n\nimport (\n\t\"fmt\"\n\n\t\"example.com/app/store\"\n)\n\nfunc main() {\n\ts := \
         store.New()\n\tfmt.Println(s.Get(\"a\"))\n}\n",
    ),
];

pub(super) const RUST: &[(&str, &str)] = &[
    ("Cargo.toml", "[package]\nname = \"app\"\n"),
    (
        "src/main.rs",
        "mod cart;\nuse cart::Cart;\n\nfn main() {\n    let cart = Cart::open();\n    cart.total();\n}\n",
    ),
    (
        "src/cart.rs",
        "use std::fmt;\n\npub struct Cart;\n\nimpl Cart {\n    pub fn open() -> Cart {\n        \
         Cart\n    }\n\n    pub fn total(&self) -> u32 {\n        rate()\n    }\n}\n\npub struct \
         Basket;\n\nimpl Basket {\n    pub fn total(&self) -> u32 {\n        rate() + rate()\n    \
         }\n}\n\nfn rate() -> u32 {\n    1\n}\n",
    ),
];

pub(super) const JAVA: &[(&str, &str)] = &[
    (
        "src/main/java/com/shop/Cart.java",
        "package com.shop;\n\nimport com.shop.money.Rates;\n\npublic class Cart {\n  public int total() {\n    \
         return Rates.exchange(1);\n  }\n}\n",
    ),
    (
        "src/main/java/com/shop/money/Rates.java",
        "package com.shop.money;\n\npublic class Rates {\n  public static int exchange(int n) { return n; }\n}\n",
    ),
    (
        "src/main/java/com/shop/Main.java",
        "package com.shop;\n\nimport java.util.List;\n\npublic class Main {\n  public static void \
         main(String[] args) {\n    Cart cart = new Cart();\n    cart.total();\n  }\n}\n",
    ),
];

pub(super) const C: &[(&str, &str)] = &[
    ("include/list.h", "int list_len(int *list);\n"),
    (
        "src/list.c",
        "#include \"list.h\"\n#include <stdio.h>\n\nint list_len(int *list) {\n    return list[0];\n}\n",
    ),
    (
        "src/main.c",
        "#include \"list.h\"\n\nint main(void) {\n    int list[] = {0};\n    return list_len(list);\n}\n",
    ),
];

/// Methods that override others, with calls of both.
pub(super) const CPP: &[(&str, &str)] = &[
    (
        "shape.hpp",
        "struct Shape {\n  virtual int area();\n  virtual int sides();\n};\nstruct Square : Shape {\n  \
         int area();\n  int sides();\n};\nstruct Tile : Square {\n  int area();\n};\n",
    ),
    (
        "shape.cpp",
        "#include \"shape.hpp\"\n\nint Shape::area() {\n    return 0;\n}\n\nint Shape::sides() {\n    \
         return area();\n}\n\nint Square::area() {\n    return Shape::area() + sides();\n}\n\nint \
         Square::sides() {\n    return 4;\n}\n\nint Tile::area() {\n    return 1;\n}\n",
    ),
    (
        "main.cpp",
        "#include \"shape.hpp\"\n\nint total(Shape *shape, Square *square, Tile *tile) {\n    return \
         shape->area() + square->area() + tile->area() + tile->sides();\n}\n",
    ),
];
