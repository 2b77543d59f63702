//! Ruby: constructors, and modules that types include.

use super::check;

const SHOP: &str = "\
//- /lib/shop.rb
module Shop
  class Basket
    module Helpers
      def total
        header('a')
      end
    end
    module Env
      def header(name)
      end
    end
    include Helpers
    include Env
    def initialize(items)
    end
  end
  class Empty < Basket
  end
  class Header
    def header
    end
  end
end
";

/// `Type.new` did not refer to the constructor, and members of included modules were not found.
#[test]
fn constructors_and_included_modules_are_found() {
    let of = |line: &str| format!("{SHOP}//- /main.rb\ndef run\n  {line}\nend\n");
    check(&of("Shop::Basket.$0new([])"), "lib/shop.rb:14 Shop::Basket#initialize Receiver");
    check(
        &of("b = Shop::Basket.new([])\n  b.$0total"),
        "lib/shop.rb:4 Shop::Basket::Helpers#total Inherited",
    );
    let inside = SHOP.replace("header('a')", "$0header('a')");
    check(&inside, "lib/shop.rb:9 Shop::Basket::Env#header Implementation");
}

/// A variable in its own value was taken for a method.
#[test]
fn variables_are_local_in_their_own_values() {
    let text = "//- /a.rb\ndef app\nend\ndef run\n  app = lambda { app.$0call(1) }\nend\n";
    check(text, "");
}
