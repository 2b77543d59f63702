//! PHP's magic methods, and members that comments declare.

use super::{check, links};

const MODEL: &str = "\
//- /src/Builder.php
<?php
namespace Db;
class Builder
{
    public function where($a): static { return $this; }
    public function first() {}
    private static function hidden() {}
}
//- /src/Model.php
<?php
namespace Db;
class Model
{
    public function save() {}
    public function __call($name, $arguments) { return (new Builder())->$name(...$arguments); }
    public static function __callStatic($name, $arguments) { return (new static())->$name(...$arguments); }
}
/**
 * A user.
 *
 * @method static User of(string $name) makes one
 * @method Builder query()
 */
class User extends Model {}
/** @mixin Builder */
class Post extends Model {}
class Plain extends \\Outside\\Base { public function __call($name, $arguments) {} }
";

fn of(body: &str) -> String {
    format!(
        "{MODEL}//- /main.php\n<?php\nuse Db\\{{User, Post, Plain, Model}};\n\
         function run(Model $model, User $user, Post $post, Plain $plain) {{ {body} }}\n"
    )
}

/// Calls of methods that a class lacks were unresolved, although its `__call` runs.
#[test]
fn calls_of_missing_methods_run_the_magic_method() {
    for (body, expected) in [
        ("$model->$0where(1);", "src/Model.php:6 Model::__call Receiver"),
        ("$user->$0where(1);", "src/Model.php:6 Model::__call Inherited"),
        ("Model::$0where(1);", "src/Model.php:7 Model::__callStatic Receiver"),
        ("$plain->$0where(1);", "src/Model.php:18 Plain::__call Receiver"),
    ] {
        check(&of(body), expected);
        assert!(links(&of(body))[0].confidence < 0.9, "{body}");
    }
    check(&of("$model->$0save();"), "src/Model.php:5 Model::save Receiver");
}

/// `@method` and `@mixin` were not read.
#[test]
fn comments_declare_members() {
    check(&of("User::$0of('a');"), "src/Model.php:12 User::of Receiver");
    check(&of("User::of('a')->$0save();"), "src/Model.php:5 Model::save Inherited");
    check(&of("$user->query()->$0first();"), "src/Builder.php:6 Builder::first Receiver");
    check(&of("$post->$0where(1);"), "src/Builder.php:5 Builder::where Inherited");
    check(&of("$post->where(1)->$0first();"), "src/Builder.php:6 Builder::first Inherited");
    check(&of("new $0Post();"), "src/Model.php:17 Post Import");
}
