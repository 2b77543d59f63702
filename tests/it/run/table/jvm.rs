//! JUnit by Maven and Gradle.

use super::{Project, check};

const SHOP: &str = "//- src/main/java/com/x/Shop.java
package com.x;

public class Shop {
    public static int alpha() { return 1; }
    public static int beta() { return 1; }
    public static int gamma() { return 1; }
}
//- src/test/java/com/x/Ran.java
package com.x;

import java.nio.charset.StandardCharsets;
import java.nio.file.*;

class Ran {
    static void ran(String name) {
        try {
            Path path = Paths.get(System.getenv(\"RAN_FILE\"));
            byte[] line = (name + \"\\n\").getBytes(StandardCharsets.UTF_8);
            Files.write(path, line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (java.io.IOException error) {
            throw new RuntimeException(error);
        }
    }
}
";

#[test]
fn maven() {
    let files = format!(
        "{}{SHOP}{}",
        r#"//- pom.xml
<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>com.x</groupId><artifactId>x</artifactId><version>1</version><properties>
<maven.compiler.source>8</maven.compiler.source><maven.compiler.target>8</maven.compiler.target>
<project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties><dependencies>
<dependency><groupId>org.junit.jupiter</groupId><artifactId>junit-jupiter</artifactId>
<version>5.10.2</version><scope>test</scope></dependency></dependencies><build><plugins><plugin>
<artifactId>maven-surefire-plugin</artifactId><version>3.2.5</version></plugin></plugins></build></project>
"#,
        r#"//- src/test/java/com/x/ShopTest.java
package com.x;

import org.junit.jupiter.api.*;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ShopTest {
    @Test void alpha() { Ran.ran("alpha"); Assertions.assertEquals(1, Shop.alpha()); }
    @Test void alphaTwo() { Ran.ran("alphaTwo"); }

    @Nested class Inner {
        @Test void größe() { Ran.ran("Inner.größe"); Assertions.assertEquals(1, Shop.beta()); }
        @Test void other() { Ran.ran("Inner.other"); }
    }

    @ParameterizedTest @ValueSource(strings = {"a b", "[c]"})
    void gamma(String x) { Ran.ran("gamma " + x); Assertions.assertEquals(1, Shop.gamma()); }
}
"#
    );
    check(&Project {
        programs: &["mvn", "javac"],
        source: "src/main/java/com/x/Shop.java",
        prepare: &["mvn", "-B", "-q", "test", "-Dtest=ShopTest#alphaTwo"],
        files: &files,
        cases: &[
            ("alpha", &["alpha"]),
            ("beta", &["Inner.größe"]),
            ("gamma", &["gamma [c]", "gamma a b"]),
        ],
    });
}

#[test]
fn gradle() {
    let files = format!(
        "{}{SHOP}{}",
        r#"//- build.gradle
apply plugin: 'java'
repositories {
    maven { url 'file:///usr/share/maven-repo' }
    mavenCentral()
}
dependencies { testCompile 'junit:junit:4.13.2' }
tasks.withType(JavaCompile) { options.encoding = 'UTF-8' }
//- settings.gradle
rootProject.name = 'x'
//- gradle.properties
# A daemon keeps the environment of another run.
org.gradle.daemon=false
"#,
        r#"//- src/test/java/com/x/ShopTest.java
package com.x;

import org.junit.Assert;
import org.junit.Test;
import org.junit.experimental.runners.Enclosed;
import org.junit.runner.RunWith;

public class ShopTest {
    @Test public void alpha() { Ran.ran("alpha"); Assert.assertEquals(1, Shop.alpha()); }
    @Test public void alphaTwo() { Ran.ran("alphaTwo"); }

    public static class Inner {
        @Test public void größe() { Ran.ran("Inner.größe"); Assert.assertEquals(1, Shop.beta()); }
        @Test public void other() { Ran.ran("Inner.other"); }
    }
}
"#
    );
    check(&Project {
        programs: &["gradle", "javac"],
        source: "src/main/java/com/x/Shop.java",
        prepare: &["gradle", "test", "--offline", "--tests", "com.x.ShopTest.alphaTwo"],
        files: &files,
        cases: &[("alpha", &["alpha"]), ("beta", &["Inner.größe"])],
    });
}
