//! `cargo test`, nextest and `go test`.

use super::{Project, check};

const RUST: &str = r##"
//- Cargo.toml
[package]
name = "my-shop"
edition = "2021"
[workspace]
//- src/lib.rs
mod book;
pub mod cart;
pub mod ran;
//- src/ran.rs
pub fn ran(name: &str) {
    use std::io::Write;
    let path = std::env::var_os("RAN_FILE").unwrap();
    let mut file = std::fs::OpenOptions::new().create(true).append(true).open(path).unwrap();
    file.write_all(format!("{name}\n").as_bytes()).unwrap();
}
//- src/cart.rs
pub fn alpha() -> u8 { 1 }
pub fn beta() -> u8 { 1 }
pub fn gamma() -> u8 { 1 }
/// ```
/// assert_eq!(my_shop::cart::delta(), 1);
/// my_shop::ran::ran("doc of delta");
/// ```
pub fn delta() -> u8 { 1 }
pub fn epsilon() -> u8 { 1 }
//- src/book.rs
/// ```
/// my_shop::ran::ran("doc of other");
/// ```
pub fn other() -> u8 { 1 }
#[cfg(test)]
mod tests;
//- src/book/tests.rs
use crate::{cart, ran::ran};
#[test] fn walks() { assert_eq!(cart::alpha(), 1); ran("walks") }
#[test] fn walks_on() { ran("walks_on") }
mod größe {
    use crate::{cart, ran::ran};
    #[test] fn measures() { assert_eq!(cart::beta(), 1); ran("größe::measures") }
    #[test] fn measures_no() { ran("größe::measures_no") }
}
mod single;
//- src/book/tests/single.rs
#[test] fn stands() { assert_eq!(crate::cart::gamma(), 1); crate::ran::ran("single::stands") }
//- tests/it/main.rs
mod deep;
//- tests/it/deep.rs
#[test]
fn epsilon() { assert_eq!(my_shop::cart::epsilon(), 1); my_shop::ran::ran("it deep::epsilon") }
#[test]
fn epsilon_no() { my_shop::ran::ran("it deep::epsilon_no") }
"##;

#[test]
fn cargo_test() {
    check(&Project {
        programs: &["cargo"],
        source: "src/cart.rs",
        prepare: &[],
        files: RUST,
        cases: &[
            ("alpha", &["walks"]),
            ("beta", &["größe::measures"]),
            ("gamma", &["single::stands"]),
            ("delta", &["doc of delta"]),
            ("epsilon", &["it deep::epsilon"]),
        ],
    });
}

#[test]
fn nextest() {
    let files = format!("{RUST}//- .config/nextest.toml\n[profile.default]\nretries = 0\n");
    check(&Project {
        programs: &["cargo", "cargo-nextest"],
        source: "src/cart.rs",
        prepare: &[],
        files: &files,
        cases: &[
            ("alpha", &["walks"]),
            ("beta", &["größe::measures"]),
            ("epsilon", &["it deep::epsilon"]),
        ],
    });
}

#[test]
fn go_test() {
    check(&Project {
        programs: &["go"],
        source: "cart/cart.go",
        prepare: &[],
        files: r##"
//- go.mod
module example.org/shop

go 1.18
//- ran/ran.go
package ran

import "os"

func Ran(name string) {
	file, _ := os.OpenFile(os.Getenv("RAN_FILE"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0600)
	file.WriteString(name + "\n")
	file.Close()
}
//- cart/cart.go
package cart

func Alpha() int { return 1 }
func Beta() int { return 1 }
func Gamma() int { return 1 }
func Delta() int { return 1 }
//- cart/cart_test.go
package cart

import (
	"fmt"
	"testing"

	"example.org/shop/ran"
)

func TestAlpha(t *testing.T) {
	for _, name := range []string{"a b", "[c]/d", "é"} {
		t.Run(name, func(t *testing.T) {
			ran.Ran(t.Name())
			if Alpha() != 1 {
				t.Error()
			}
		})
	}
}
func TestAlphaTwo(t *testing.T) { ran.Ran(t.Name()) }
func TestGröße(t *testing.T) {
	ran.Ran(t.Name())
	if Beta() != 1 {
		t.Error()
	}
}
func TestGrößer(t *testing.T) { ran.Ran(t.Name()) }
func ExampleGamma() {
	ran.Ran("ExampleGamma")
	fmt.Println(Gamma())
	// Output: 1
}
//- cart/tagged_test.go
//go:build integration

package cart

import (
	"testing"

	"example.org/shop/ran"
)

func TestDelta(t *testing.T) {
	ran.Ran(t.Name())
	if Delta() != 1 {
		t.Error()
	}
}
"##,
        cases: &[
            ("Alpha", &["TestAlpha/[c]/d", "TestAlpha/a_b", "TestAlpha/é"]),
            ("Beta", &["TestGröße"]),
            ("Gamma", &["ExampleGamma"]),
        ],
    });
}
