//! PHP.

use super::check;

#[test]
fn classes_are_loaded_by_their_names() {
    let tree = r#"
        //- /composer.json
        { "autoload": {
            "psr-4": { "App\\": "src/", "App\\Models\\": ["models/", "more/"] },
            "psr-0": { "Old\\": "legacy/" } },
          "autoload-dev": { "psr-4": { "Tests\\": "tests/" } } }
        //- /src/Kernel.php
        //- /src/Http/Request.php
        //- /more/User.php
        //- /legacy/Old/Thing.php
        //- /tests/KernelTest.php
        //- /other/Declared.php
        package Lib\Declared
        //- /plugins/shop/Cart.php
        //- /src/inc/a.php
    "#;
    check(
        tree,
        &[
            ("tests/KernelTest.php", "App\\Kernel", "src/Kernel.php 1 mapped"),
            ("tests/KernelTest.php", "\\App\\Http\\Request", "src/Http/Request.php 1 mapped"),
            (
                "tests/KernelTest.php",
                "App\\Http [Request, Gone]",
                "src/Http/Request.php 1 mapped [Request]",
            ),
            ("tests/KernelTest.php", "App\\Models\\User", "more/User.php 1 mapped"),
            ("tests/KernelTest.php", "Old\\Thing", "legacy/Old/Thing.php 1 mapped"),
            ("src/Kernel.php", "Lib\\Declared\\Declared", "other/Declared.php 1 package"),
            ("src/Kernel.php", "Vendor\\shop\\Cart", "plugins/shop/Cart.php 0.5 unique"),
            ("src/Kernel.php", "Symfony\\Console\\Command", "outside"),
            ("src/Kernel.php", "inc/a.php", "src/inc/a.php 1 path"),
            ("src/Kernel.php", "/inc/a.php", "src/inc/a.php 1 path"),
            ("src/inc/a.php", "src/Kernel.php", "src/Kernel.php 0.7 root"),
        ],
    );
}
