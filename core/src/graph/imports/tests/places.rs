//! Languages whose imports are little more than paths.

use super::check;

#[test]
fn ruby_searches_the_load_path() {
    let tree = "
        //- /gems/one/lib/one.rb
        //- /gems/one/lib/one/part.rb
        //- /gems/one/spec/helper.rb
        //- /gems/two/lib/two/unique_thing.rb
        //- /bin/run.rb
    ";
    check(
        tree,
        &[
            ("gems/one/lib/one.rb", "one/part", "gems/one/lib/one/part.rb 0.9 root"),
            ("gems/one/lib/one.rb", "next one/part", "gems/one/lib/one/part.rb 1 path"),
            ("gems/one/lib/one.rb", "next ../spec/helper", "gems/one/spec/helper.rb 1 path"),
            ("gems/one/spec/helper.rb", "one", "gems/one/lib/one.rb 0.9 root"),
            ("bin/run.rb", "two/unique_thing", "gems/two/lib/two/unique_thing.rb 0.7 unique"),
            ("bin/run.rb", "json", "outside"),
            ("bin/run.rb", "next missing", "unknown"),
        ],
    );
}

#[test]
fn paths_and_modules_of_other_languages() {
    let tree = "
        //- /proto/acme/v1/user.proto
        //- /proto/acme/v1/role.proto
        //- /css/main.scss
        //- /css/_colors.scss
        //- /scripts/build.sh
        //- /scripts/lib/log.sh
        //- /CMakeLists.txt
        //- /cmake/Flags.cmake
        //- /lib/CMakeLists.txt
        //- /scripts/rules.mk
        //- /dart/pubspec.yaml
        name: shop # the name
        //- /dart/lib/cart.dart
        //- /dart/test/cart.dart
        //- /ex/lib/my_app/user_view.ex
        //- /ex/lib/my_app.ex
        //- /hs/src/Data/Store.hs
        //- /hs/app/Main.hs
        //- /tf/main.tf
        //- /tf/net/vpc.tf
        //- /tf/net/out.tf
        //- /tf/net/deep/x.tf
        //- /lua/app/init.lua
        //- /lua/app/view.lua
        //- /ml/parser.ml
        //- /ml/main.ml
        //- /swift/Sources/Core/A.swift
        //- /swift/Sources/Core/deep/B.swift
        //- /swift/Sources/App/main.swift
        //- /zig/main.zig
        //- /zig/list.zig
    ";
    check(
        tree,
        &[
            ("proto/acme/v1/user.proto", "acme/v1/role.proto", "proto/acme/v1/role.proto 0.9 root"),
            ("proto/acme/v1/user.proto", "google/protobuf/any.proto", "outside"),
            ("css/main.scss", "colors", "css/_colors.scss 1 path"),
            ("css/main.scss", "./colors", "css/_colors.scss 1 path"),
            ("scripts/build.sh", "./lib/log.sh", "scripts/lib/log.sh 1 path"),
            ("scripts/build.sh", "$(dirname \"$0\")/lib/log.sh", "scripts/lib/log.sh 1 path"),
            ("scripts/build.sh", "$ROOT/scripts/lib/log.sh", "scripts/lib/log.sh 0.9 root"),
            ("scripts/build.sh", "/etc/profile", "outside"),
            ("CMakeLists.txt", "lib", "lib/CMakeLists.txt 1 path"),
            ("lib/CMakeLists.txt", "Flags", "cmake/Flags.cmake 0.9 root"),
            ("scripts/build.sh", "rules.mk", "scripts/rules.mk 1 path"),
            ("dart/test/cart.dart", "package:shop/cart.dart", "dart/lib/cart.dart 1 workspace"),
            ("dart/test/cart.dart", "package:http/http.dart", "outside"),
            ("dart/test/cart.dart", "../lib/cart.dart", "dart/lib/cart.dart 1 path"),
            ("ex/lib/my_app.ex", "MyApp.UserView", "ex/lib/my_app/user_view.ex 1 root"),
            ("hs/app/Main.hs", "Data.Store", "hs/src/Data/Store.hs 1 root"),
            ("hs/app/Main.hs", "Data.Map", "outside"),
            ("tf/main.tf", "./net", "tf/net/out.tf 1 path\ntf/net/vpc.tf 1 path"),
            ("lua/app/view.lua", "app", "lua/app/init.lua 1 root"),
            ("lua/app/init.lua", "app.view", "lua/app/view.lua 1 root"),
            ("ml/main.ml", "Parser", "ml/parser.ml 1 path"),
            (
                "swift/Sources/App/main.swift",
                "Core",
                "swift/Sources/Core/A.swift 0.9 root\nswift/Sources/Core/deep/B.swift 0.9 root",
            ),
            ("zig/main.zig", "list.zig", "zig/list.zig 1 path"),
            ("zig/main.zig", "std", "outside"),
        ],
    );
}
