//! Python: the order of bases.

use super::check;

/// A common base was searched before a type that is derived from it.
#[test]
fn a_common_base_is_searched_last() {
    let tree = "//- /run.py\nclass Base:\n    def crawl(self):\n        pass\n    def stop(self):\n        \
                pass\n\nclass Process(Base):\n    pass\n\nclass Runner(Base):\n    def crawl(self):\n        \
                pass\n\nclass Both(Process, Runner):\n    pass\n\nboth = Both()\nboth.crawl()\n\
                both.stop()\n";
    check(&tree.replace("both.crawl", "both.$0crawl"), "run.py:11 Runner.crawl Inherited");
    check(&tree.replace("both.stop", "both.$0stop"), "run.py:4 Base.stop Inherited");
}
