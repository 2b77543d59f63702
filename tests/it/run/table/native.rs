//! CTest with GoogleTest and Catch2, `dotnet test` and `swift test`.

use super::{Project, check};

const SHOP: &str = "//- shop.h
#pragma once
int alpha();
int beta();
int gamma_of(int x);
//- shop.cpp
#include \"shop.h\"
int alpha() { return 1; }
int beta() { return 1; }
int gamma_of(int x) { return x; }
//- tests/ran.h
#pragma once
#include <cstdlib>
#include <fstream>
#include <string>
inline void ran(const std::string &name) {
    std::ofstream(std::getenv(\"RAN_FILE\"), std::ios::app) << name << \"\\n\";
}
//- .gitignore
build/
";

#[test]
fn ctest_with_googletest() {
    let files = format!(
        "{SHOP}{}",
        r#"//- CMakeLists.txt
cmake_minimum_required(VERSION 3.20)
project(shop CXX)
enable_testing()
find_package(GTest REQUIRED)
include(GoogleTest)
add_executable(unit tests/shop_test.cpp shop.cpp)
target_include_directories(unit PRIVATE .)
target_link_libraries(unit GTest::gtest_main)
gtest_discover_tests(unit)
//- tests/shop_test.cpp
#include "shop.h"
#include "ran.h"
#include <gtest/gtest.h>

TEST(Shop, Alpha) { ran("Shop.Alpha"); EXPECT_EQ(alpha(), 1); }
TEST(Shop, AlphaTwo) { ran("Shop.AlphaTwo"); }
TEST(OtherShop, Alpha) { ran("OtherShop.Alpha"); }

class Fixture : public ::testing::Test {};
TEST_F(Fixture, Beta) { ran("Fixture.Beta"); EXPECT_EQ(beta(), 1); }

class Sizes : public ::testing::TestWithParam<int> {};
TEST_P(Sizes, Gamma) { ran("Sizes.Gamma"); EXPECT_EQ(gamma_of(GetParam()), GetParam()); }
INSTANTIATE_TEST_SUITE_P(All, Sizes, ::testing::Values(1, 2));
"#
    );
    check(&Project {
        programs: &["cmake", "ctest", "c++"],
        source: "shop.cpp",
        prepare: &["cmake", "-S", ".", "-B", "build"],
        files: &files,
        cases: &[
            ("alpha", &["Shop.Alpha"]),
            ("beta", &["Fixture.Beta"]),
            ("gamma_of", &["Sizes.Gamma", "Sizes.Gamma"]),
        ],
    });
}

#[test]
fn ctest_with_catch2() {
    let files = format!(
        "{SHOP}{}",
        r#"//- CMakeLists.txt
cmake_minimum_required(VERSION 3.20)
project(shop CXX)
enable_testing()
find_package(Catch2 REQUIRED)
include(Catch)
add_executable(unit tests/shop_test.cpp shop.cpp)
target_include_directories(unit PRIVATE .)
target_link_libraries(unit Catch2::Catch2)
catch_discover_tests(unit)
//- tests/shop_test.cpp
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#include "shop.h"
#include "ran.h"

struct Fixture {};

TEST_CASE("a shop's (first) price is 1.00 + x?", "[shop]") { ran("alpha"); CHECK(alpha() == 1); }
TEST_CASE("a shop's (first) price is 1.00 + x? too", "[shop]") { ran("alpha too"); }
TEST_CASE_METHOD(Fixture, "größe", "[shop]") { ran("beta"); CHECK(beta() == 1); }
SCENARIO("a basket", "[shop]") { ran("gamma"); CHECK(gamma_of(2) == 2); }
"#
    );
    check(&Project {
        programs: &["cmake", "ctest", "c++"],
        source: "shop.cpp",
        prepare: &["cmake", "-S", ".", "-B", "build"],
        files: &files,
        cases: &[("alpha", &["alpha"]), ("beta", &["beta"]), ("gamma_of", &["gamma"])],
    });
}

#[test]
fn dotnet_test() {
    check(&Project {
        programs: &["dotnet"],
        source: "Shop.cs",
        prepare: &["dotnet", "restore"],
        files: r#"
//- shop.csproj
<Project Sdk="Microsoft.NET.Sdk">
  <PropertyGroup><TargetFramework>net8.0</TargetFramework></PropertyGroup>
  <ItemGroup>
    <PackageReference Include="Microsoft.NET.Test.Sdk" Version="17.8.0" />
    <PackageReference Include="xunit" Version="2.6.2" />
    <PackageReference Include="xunit.runner.visualstudio" Version="2.5.4" />
  </ItemGroup>
</Project>
//- Shop.cs
namespace Shop {
    public static class Prices {
        public static int Alpha() => 1;
        public static int Beta(int x) => x;
    }
}
//- ShopTests.cs
using System.IO;
using Xunit;

namespace Shop.Tests {
    public class PriceTests {
        static void Ran(string name) =>
            File.AppendAllText(System.Environment.GetEnvironmentVariable("RAN_FILE"), name + "\n");

        [Fact] public void Alpha() { Ran("Alpha"); Assert.Equal(1, Prices.Alpha()); }
        [Fact] public void AlphaTwo() { Ran("AlphaTwo"); }

        [Theory] [InlineData(1)] [InlineData(2)]
        public void Beta(int x) { Ran("Beta"); Assert.Equal(x, Prices.Beta(x)); }
    }
}
"#,
        cases: &[("Alpha", &["Alpha"]), ("Beta", &["Beta", "Beta"])],
    });
}

#[test]
fn swift_test() {
    check(&Project {
        programs: &["swift"],
        source: "Sources/Shop/Shop.swift",
        prepare: &["swift", "build", "--build-tests"],
        files: r#"
//- Package.swift
// swift-tools-version:5.5
import PackageDescription
let package = Package(name: "Shop", targets: [
    .target(name: "Shop"), .testTarget(name: "ShopTests", dependencies: ["Shop"]),
])
//- Sources/Shop/Shop.swift
public func alpha() -> Int { 1 }
//- Tests/ShopTests/ShopTests.swift
import Foundation
import XCTest
@testable import Shop

final class ShopTests: XCTestCase {
    func ran(_ name: String) {
        let path = ProcessInfo.processInfo.environment["RAN_FILE"]!
        if !FileManager.default.fileExists(atPath: path) {
            FileManager.default.createFile(atPath: path, contents: nil)
        }
        let file = FileHandle(forWritingAtPath: path)!
        file.seekToEndOfFile()
        file.write((name + "\n").data(using: .utf8)!)
    }
    func testAlpha() { ran("testAlpha"); XCTAssertEqual(alpha(), 1) }
    func testAlphaTwo() { ran("testAlphaTwo") }
}
"#,
        cases: &[("alpha", &["testAlpha"])],
    });
}
