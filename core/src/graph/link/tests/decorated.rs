//! What Python's decorators make of a function.

use super::{check, resolved_outcome};

const CLI: &str = "\
//- /cli.py
class Command:
    def invoke(self): pass
class Group:
    def command(self, name=None):
        def decorator(f):
            return Command()
        return decorator
    def invoke(self): pass
def group(name=None):
    def decorator(f):
        return Group()
    return decorator
def logged(f):
    def inner(*args):
        return f(*args)
    return inner
class Task:
    def __init__(self, f): pass
    def delay(self): pass
class Other:
    def command(self): pass
    def delay(self): pass
    def invoke(self): pass
";

fn of(body: &str) -> String {
    format!("{CLI}//- /main.py\nfrom cli import Task, group, logged\nimport outside\n{body}\n")
}

/// The members of a decorated function were those of any class.
#[test]
fn decorators_determine_the_members_of_a_function() {
    check(
        &of("@group()\ndef main(): pass\n@main.$0command()\ndef sub(): pass"),
        "cli.py:4 Group.command Receiver",
    );
    check(
        &of("@group()\ndef main(): pass\n@main.command()\ndef sub(): pass\nsub.$0invoke()"),
        "cli.py:2 Command.invoke Receiver",
    );
    check(&of("@Task\ndef work(): pass\nwork.$0delay()"), "cli.py:19 Task.delay Receiver");
    check(&of("@logged\n@Task\ndef work(): pass\nwork()\n$0work()"), "main.py:3 work SameFile");
    let outside = resolved_outcome(&of(
        "@outside.group()\ndef main(): pass\n@main.$0command()\ndef sub(): pass",
    ));
    assert!(outside.links.is_empty() && outside.is_outside, "{outside:?}");
}
