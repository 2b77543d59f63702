//! RSpec, minitest and PHPUnit.

use super::{Project, check};

const SHOP: &str = "//- lib/shop.rb
module Shop
  def self.alpha
    1
  end

  def self.beta
    1
  end

  def self.gamma
    1
  end
end

def ran(name)
  File.open(ENV[\"RAN_FILE\"], \"a\") { |file| file.puts(name) }
end
";

#[test]
fn rspec() {
    let files = format!(
        "{SHOP}{}",
        r##"//- spec/shop_spec.rb
require_relative "../lib/shop"

RSpec.describe "the [shop]" do
  context "größe (cm)" do
    it "it's \"quoted\"" do
      ran("alpha")
      expect(Shop.alpha).to eq 1
    end

    it "it's \"quoted\" too" do
      ran("alpha too")
    end
  end

  [1, 2].each do |x|
    it "has #{x}" do
      ran("beta #{x}")
      expect(Shop.beta).to eq 1
    end
  end
end
//- spec/sub dir/more_spec.rb
require_relative "../../lib/shop"

RSpec.describe Shop do
  specify { ran("gamma"); expect(Shop.gamma).to eq 1 }
  specify { ran("gamma too") }
end
"##
    );
    check(&Project {
        programs: &["rspec"],
        source: "lib/shop.rb",
        prepare: &[],
        files: &files,
        cases: &[("alpha", &["alpha"]), ("beta", &["beta 1", "beta 2"]), ("gamma", &["gamma"])],
    });
}

#[test]
fn minitest() {
    let files = format!(
        "{SHOP}{}",
        r##"//- test/shop_test.rb
require "minitest/autorun"
require "shop"

module Deep
  class ShopTest < Minitest::Test
    def test_alpha
      ran("alpha")
      assert_equal 1, Shop.alpha
    end

    def test_alpha_two
      ran("alpha_two")
    end
  end

  class OtherTest < Minitest::Test
    def test_alpha
      ran("other alpha")
    end

    def test_größe
      ran("größe")
      assert_equal 1, Shop.beta
    end
  end
end
//- test/words_test.rb
require "minitest/autorun"
require "shop"

describe "the [shop]" do
  describe "inside (cm)" do
    it "it's gamma" do
      ran("gamma")
      assert_equal 1, Shop.gamma
    end

    it "it's gamma too" do
      ran("gamma too")
    end
  end
end
"##
    );
    check(&Project {
        programs: &["ruby"],
        source: "lib/shop.rb",
        prepare: &["ruby", "-e", "require %(minitest)"],
        files: &files,
        cases: &[("alpha", &["alpha"]), ("beta", &["größe"]), ("gamma", &["gamma"])],
    });
}

#[test]
fn phpunit() {
    check(&Project {
        programs: &["phpunit"],
        source: "src/Shop.php",
        prepare: &[],
        files: r##"
//- phpunit.xml
<phpunit><testsuites><testsuite name="all"><directory>tests</directory></testsuite></testsuites></phpunit>
//- src/Shop.php
<?php
namespace App;

final class Shop {
    public static function alpha(): int { return 1; }
    public static function beta(): int { return 1; }
    public static function gamma(int $x): int { return $x; }
}
function ran(string $name): void { file_put_contents(getenv('RAN_FILE'), $name . "\n", FILE_APPEND); }
//- tests/ShopTest.php
<?php
namespace App\Tests;

require_once __DIR__ . '/../src/Shop.php';

use App\Shop;
use PHPUnit\Framework\TestCase;

final class ShopTest extends TestCase {
    public function testAlpha(): void { \App\ran('alpha'); $this->assertSame(1, Shop::alpha()); }
    public function testAlphaTwo(): void { \App\ran('alphaTwo'); $this->assertTrue(true); }
    public function testGröße(): void { \App\ran('größe'); $this->assertSame(1, Shop::beta()); }
    /** @dataProvider sizes */
    public function testGamma(int $x): void { \App\ran("gamma $x"); $this->assertSame($x, Shop::gamma($x)); }
    public static function sizes(): array { return [[1], 'a "b" [c]' => [2]]; }
}
"##,
        cases: &[("alpha", &["alpha"]), ("beta", &["größe"]), ("gamma", &["gamma 1", "gamma 2"])],
    });
}
