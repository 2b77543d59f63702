//! Ruby: modules of plugins, which one type includes at run time, and values of unknown type that inherit
//! what is called on them.

use super::{check, links, resolved_outcome};

const PLUGINS: &str = "\
//- /lib/base.rb
module Plugins
  module Base
    module ClassMethods
      def opts
      end
    end
    module InstanceMethods
      def opts
      end
      def always(x)
      end
    end
  end
end
//- /lib/pass.rb
module Plugins
  module Pass
    module InstanceMethods
      def always(x)
        super
      end
    end
  end
end
//- /lib/other.rb
module Plugins
  module Other
    module InstanceMethods
      def run_it
        BODY
      end
    end
  end
end
";

/// A call was ambiguous although only one of the modules is for the same kind of object.
#[test]
fn modules_of_one_name_call_each_other() {
    let of = |body: &str| PLUGINS.replace("BODY", body);
    check(&of("$0opts"), "lib/base.rb:8 Plugins::Base::InstanceMethods#opts OnlyFit");
    // In another module, nothing is known.
    let other =
        of("$0opts").replace("InstanceMethods\n      def run_it", "Helpers\n      def run_it");
    check(&other, "lib/base.rb:8 Plugins::Base::InstanceMethods#opts Ambiguous");
}

/// All methods of a name were equally likely, although all but one call it by `super`.
#[test]
fn methods_that_call_super_replace_another_one() {
    let of = |body: &str| PLUGINS.replace("BODY", body);
    let base = "lib/base.rb:10 Plugins::Base::InstanceMethods#always OnlyFit";
    check(&of("$0always(1)"), base);
    check(&of("it = make\n        it.$0always(1)"), base);
    let found = links(&of("$0always(1)"));
    assert!(found.iter().all(|link| link.confidence < 0.9), "{found:?}");
    assert_eq!(found.len(), 2, "{found:?}");
    let both = of("$0always(1)").replace("        super\n", "");
    assert!(links(&both).iter().all(|link| link.confidence < 0.45));
}

const NODES: &str = "\
//- /lib/nodes.rb
class AbstractNode
  def title_of
  end
  def mark
  end
end
class List < AbstractNode
  def items_of
  end
end
class Table < AbstractNode
  def rows_of
  end
end
class Book
  def title_of
  end
  def pages_of
  end
end
";

/// No type that has the member itself has all members that are called on the variable.
#[test]
fn the_type_that_fits_may_inherit_the_member() {
    let of = |text: &str| format!("{NODES}//- /main.rb\n{text}\n");
    let title = "lib/nodes.rb:2 AbstractNode#title_of OnlyFit";
    check(&of("def show(it)\n  it.$0title_of\n  it.items_of\nend"), title);
    // The variable has values of several types, and is named after their base.
    let several = "def show(node)\n  node.$0title_of\n  node.items_of\n  node.rows_of\nend";
    check(&of(several), title);
    let unsure = several.replace("node", "it");
    assert!(links(&of(&unsure)).iter().all(|link| link.confidence < 0.45), "{unsure}");
}

const ROUTES: &str = "\
//- /lib/routes.rb
class Request
  def on(x)
  end
  def stay(x)
  end
  def redirect_to(x)
  end
end
class Table
  def on(x)
  end
  def stay(x)
  end
end
";

/// Two types have the members that are called in a block; one has those of the other blocks as well.
#[test]
fn variables_of_one_name_in_a_file_are_compared() {
    let of = |text: &str| format!("{ROUTES}//- /main.rb\n{text}\n");
    let on = "lib/routes.rb:2 Request#on OnlyFit";
    check(&of("app { |r| r.$0on(1)\n  r.stay(2) }\nother { |r| r.redirect_to(1) }"), on);
    let unsure = of("app { |r| r.$0on(1)\n  r.stay(2) }");
    assert!(links(&unsure).iter().all(|link| link.confidence < 0.45));
}

/// No type has all members that are called on the variable, since some are made at run time.
#[test]
fn the_type_with_most_members_fits_best() {
    let of = |text: &str| format!("{ROUTES}//- /main.rb\n{text}\n");
    let on = "lib/routes.rb:2 Request#on OnlyFit";
    check(&of("app { |r| r.$0on(1)\n  r.stay(2)\n  r.redirect_to(1)\n  r.made_later }"), on);
    let unsure = of("app { |r| r.$0on(1)\n  r.stay(2)\n  r.made_later }");
    assert!(links(&unsure).iter().all(|link| link.confidence < 0.45));
}

/// A method that a module replaces which a program includes at run time was certain.
#[test]
fn methods_that_plugins_replace_are_uncertain() {
    let text = "//- /lib/app.rb\nmodule Base\n  module ClassMethods\n    def expand(a)\n    end\n  end\nend\nclass App\n  extend Base::ClassMethods\nend\n//- /lib/strip.rb\nmodule Strip\n  module ClassMethods\n    def expand(a)\n      super\n    end\n  end\nend\n//- /use.rb\nApp.$0expand(1)\n";
    let outcome = resolved_outcome(text);
    assert!(outcome.is_open && outcome.links[0].confidence < 0.9, "{outcome:?}");
    let outcome = resolved_outcome(&text.replace("      super\n", ""));
    assert!(outcome.links[0].confidence >= 0.9, "{outcome:?}");
}
