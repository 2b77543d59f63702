//! JavaScript and TypeScript.

use super::check;

#[test]
fn relative_paths_take_endings_and_indices() {
    let tree = "
        //- /src/a.ts
        //- /src/a.js
        //- /src/b.tsx
        //- /src/dir/index.ts
        //- /src/dir/App.vue
        //- /src/old.js
        //- /src/data.json
        //- /src/both.ts
        //- /src/both/index.ts
        //- /lib/package.json
        {\"main\": \"./main.js\"}
        //- /lib/main.js
        //- /phone/Button.ios.js
        //- /phone/Button.android.js
        //- /phone/use.js
        //- /page.html
    ";
    check(
        tree,
        &[
            ("src/b.tsx", "./a", "src/a.ts 1 path"),
            ("src/old.js", "./a", "src/a.js 1 path"),
            ("src/a.ts", "./b", "src/b.tsx 1 path"),
            // Imports name compiled code by its extension, and refer to the source.
            ("src/a.ts", "./b.js", "src/b.tsx 1 path"),
            ("src/a.ts", "./dir", "src/dir/index.ts 1 path"),
            ("src/a.ts", "./dir/", "src/dir/index.ts 1 path"),
            ("src/a.ts", "./dir/App.vue?raw", "src/dir/App.vue 1 path"),
            ("src/a.ts", "./both", "src/both.ts 1 path"),
            ("src/dir/index.ts", "..", "unknown"),
            ("src/dir/index.ts", "../a", "src/a.ts 1 path"),
            ("src/a.ts", "./data", "src/data.json 1 path"),
            ("src/a.ts", "../lib", "lib/main.js 1 path"),
            ("src/a.ts", "./missing", "unknown"),
            ("src/a.ts", "../../out", "unknown"),
            (
                "phone/use.js",
                "./Button",
                "phone/Button.ios.js 0.8 path
                 phone/Button.android.js 0.8 path",
            ),
            ("page.html", "src/old.js", "src/old.js 1 path"),
            ("page.html", "/src/old.js", "src/old.js 0.7 convention"),
            ("src/a.ts", "node:fs", "outside"),
            ("src/a.ts", "fs/promises", "outside"),
            ("src/a.ts", "react", "outside"),
            ("src/a.ts", "https://x.org/a.js", "outside"),
        ],
    );
}

#[test]
fn configurations_map_paths() {
    let tree = r#"
        //- /tsconfig.base.json
        { "compilerOptions": { // shared
            "baseUrl": ".",
            "paths": {
                "@app/*": ["apps/main/src/*"],
                "@app/special": ["apps/special.ts"],
                "@app/ui/*": ["missing/*", "libs/ui/*"],
                "exact": ["libs/exact/index.ts"],
            } } }
        //- /apps/main/tsconfig.json
        { "extends": "../../tsconfig.base.json" }
        //- /apps/main/src/a.ts
        //- /apps/main/src/deep/b.ts
        //- /apps/special.ts
        //- /libs/ui/button.tsx
        //- /libs/exact/index.ts
        //- /apps/other/tsconfig.json
        { "files": [], "references": [{ "path": "./tsconfig.app.json" }] }
        //- /apps/other/tsconfig.app.json
        { "compilerOptions": { "paths": { "~/*": ["./src/*"] } } }
        //- /apps/other/src/x.ts
        //- /apps/other/src/y.ts
        //- /apps/web/src/components/z.ts
        //- /apps/web/src/main.ts
    "#;
    check(
        tree,
        &[
            ("apps/main/src/a.ts", "@app/deep/b", "apps/main/src/deep/b.ts 1 mapped"),
            ("apps/main/src/a.ts", "@app/special", "apps/special.ts 1 mapped"),
            ("apps/main/src/a.ts", "@app/ui/button", "libs/ui/button.tsx 1 mapped"),
            ("apps/main/src/a.ts", "exact", "libs/exact/index.ts 1 mapped"),
            ("apps/main/src/a.ts", "libs/exact", "libs/exact/index.ts 1 root"),
            ("apps/other/src/x.ts", "~/y", "apps/other/src/y.ts 1 mapped"),
            // A convention of bundlers, without a configuration.
            (
                "apps/web/src/main.ts",
                "@/components/z",
                "apps/web/src/components/z.ts 0.8 convention",
            ),
            ("apps/web/src/main.ts", "@/missing", "unknown"),
        ],
    );
}

#[test]
fn aliases_of_bundlers_and_test_runners_map_paths() {
    let tree = r#"
        //- /web/vite.config.ts
        export default { resolve: { alias: { '$lib': path.resolve(__dirname, 'src/lib') } } };
        //- /web/src/lib/a.ts
        //- /web/src/main.ts
        //- /package.json
        { "jest": { "moduleNameMapper": { "^&/(.*)$": "<rootDir>/js/$1", "^react$": "x" } } }
        //- /js/b.js
        //- /js/c.js
        //- /.babelrc
        { "plugins": [["module-resolver", { "alias": { "up": "./js" } }]] }
    "#;
    check(
        tree,
        &[
            ("web/src/main.ts", "$lib/a", "web/src/lib/a.ts 0.95 mapped"),
            // Those of the directories above count as well.
            ("web/src/main.ts", "&/b", "js/b.js 0.95 mapped"),
            ("js/c.js", "&/b", "js/b.js 0.95 mapped"),
            ("js/c.js", "up/b", "js/b.js 0.95 mapped"),
            ("js/c.js", "react", "outside"),
            ("js/c.js", "$lib/a", "outside"),
        ],
    );
}

#[test]
fn packages_of_the_tree_are_found_by_name() {
    let tree = r##"
        //- /package.json
        { "workspaces": ["packages/*"], "dependencies": { "left-pad": "1", "@types/pad": "1" } }
        //- /left-pad.js
        //- /fixtures/core/package.json
        { "name": "@x/core", "main": "index.js" }
        //- /fixtures/core/index.js
        //- /packages/core/package.json
        { "name": "@x/core",
          "imports": { "#self": "./src/index.ts", "#util/*": { "node": "./src/util/*.ts" } },
          "exports": {
            ".": { "types": "./dist/index.d.ts", "import": "./dist/index.js" },
            "./feature/*": "./dist/features/*.js",
            "./feature/private/*": null,
            "./style.css": "./style.css" } }
        //- /packages/core/src/index.ts
        //- /packages/core/src/util/a.ts
        //- /packages/core/src/features/fast.ts
        //- /packages/core/style.css
        //- /packages/old/package.json
        { "name": "old", "main": "lib/old" }
        //- /packages/old/lib/old.js
        //- /packages/old/extra.js
        //- /packages/shared/package.json
        { "name": "shared" }
        //- /packages/shared/ReactSymbols.js
        //- /packages/use/package.json
        { "name": "use", "devDependencies": { "@x/core": "*" } }
        //- /packages/use/index.js
        //- /packages/use/ReactThing.js
    "##;
    check(
        tree,
        &[
            ("packages/use/index.js", "@x/core", "packages/core/src/index.ts 0.9 workspace"),
            (
                "packages/use/index.js",
                "@x/core/feature/fast",
                "packages/core/src/features/fast.ts 0.9 workspace",
            ),
            ("packages/use/index.js", "@x/core/style.css", "packages/core/style.css 1 workspace"),
            // Files that are not exported are found as well: for a type import, a test.
            (
                "packages/use/index.js",
                "@x/core/src/util/a",
                "packages/core/src/util/a.ts 1 workspace",
            ),
            ("packages/core/src/index.ts", "#util/a", "packages/core/src/util/a.ts 1 mapped"),
            ("packages/core/src/util/a.ts", "#self", "packages/core/src/index.ts 1 mapped"),
            ("packages/core/src/util/a.ts", "#other", "unknown"),
            ("packages/use/index.js", "old", "packages/old/lib/old.js 1 workspace"),
            ("packages/use/index.js", "old/extra", "packages/old/extra.js 1 workspace"),
            (
                "packages/use/index.js",
                "shared/ReactSymbols",
                "packages/shared/ReactSymbols.js 1 workspace",
            ),
            // A name without a directory is a Haste module only if it is unique in the tree.
            ("packages/old/extra.js", "ReactThing", "packages/use/ReactThing.js 0.5 unique"),
            ("left-pad.js", "left-pad", "outside"),
            // An alias that nothing declares, unless it is a dependency.
            ("left-pad.js", "@internal/query", "unknown"),
            ("left-pad.js", "@types/pad", "outside"),
        ],
    );
}

#[test]
fn pnpm_and_lerna_name_members() {
    let tree = r#"
        //- /pnpm-workspace.yaml
        packages:
          # all of them
          - 'libs/**'
        //- /a/package.json
        { "name": "twin" }
        //- /a/index.js
        //- /libs/deep/er/package.json
        { "name": "twin" }
        //- /libs/deep/er/index.js
    "#;
    check(tree, &[("a/index.js", "twin", "libs/deep/er/index.js 1 workspace")]);
}

/// `paths` relative to an inherited `baseUrl` were resolved relative to the configuration itself.
#[test]
fn paths_start_at_an_inherited_base() {
    let tree = r#"
        //- /tsconfig.base.json
        { "compilerOptions": { "baseUrl": "./src" } }
        //- /tsconfig.json
        { "extends": "./tsconfig.base.json", "compilerOptions": { "paths": { "lib/*": ["app/*"] } } }
        //- /src/app/h.ts
        //- /app/h.ts
        //- /src/main.ts
        //- /own/tsconfig.json
        { "extends": "../tsconfig.json", "compilerOptions": { "baseUrl": "." } }
        //- /own/app/h.ts
        //- /own/main.ts
    "#;
    check(
        tree,
        &[
            ("src/main.ts", "lib/h", "src/app/h.ts 1 mapped"),
            ("own/main.ts", "lib/h", "own/app/h.ts 1 mapped"),
        ],
    );
}

/// Several stars of a target were each replaced, which made long paths.
#[test]
fn patterns_of_exports_are_bounded() {
    let stars = "*".repeat(1 << 20);
    let tree = format!(
        "//- /package.json\n{{\"name\": \"p\", \"exports\": {{\"./a/*\": \"{}\", \"./b/*\": \"./*/*.js\"}}}}\n\
         //- /x/*.js\n//- /a.js\n",
        &stars[..(1 << 20) - 100]
    );
    let long = "a".repeat(1 << 20);
    check(
        &tree,
        &[
            ("a.js", &format!("p/a/{long}"), "unknown"),
            ("a.js", "p/a/b", "outside"),
            ("a.js", "p/b/x", "x/*.js 1 workspace"),
        ],
    );
}
