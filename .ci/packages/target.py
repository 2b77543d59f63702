"""A platform under the names that rustc, npm, PyPI, Debian and container registries have for it."""

from dataclasses import dataclass

from elf import Elf


@dataclass(frozen=True)
class Target:
    """A target of rustc that releases are built for."""

    triple: str
    # Node's `process.platform` and `process.arch`, which are also the names of npm's `os` and `cpu`.
    npm_os: str
    npm_cpu: str
    # npm's `libc` on Linux: `glibc` or `musl`.
    libc: str | None = None
    # The architecture of Debian and of container images.
    architecture: str | None = None
    # The platform tag of a wheel where it does not depend on the program.
    wheel_tag: str | None = None
    # The path of the dynamic linker that a program for glibc needs.
    interpreter: str | None = None

    @property
    def is_linux(self) -> bool:
        return self.npm_os == "linux"

    @property
    def is_windows(self) -> bool:
        return self.npm_os == "win32"

    @property
    def program_name(self) -> str:
        return "codedb.exe" if self.is_windows else "codedb"

    @property
    def npm_suffix(self) -> str:
        """Returns the part of an npm package's name that names the platform: `linux-x64-musl`."""
        return f"{self.npm_os}-{self.npm_cpu}" + ("-musl" if self.libc == "musl" else "")

    def wheel_tags(self, elf: Elf | None) -> list[str]:
        """Returns the platform tags of a wheel with this program, sorted."""
        if self.wheel_tag or elf is None:
            return [self.wheel_tag or "any"]
        cpu = self.triple.partition("-")[0]
        if elf.is_static:
            return [f"manylinux_2_17_{cpu}", f"musllinux_1_1_{cpu}"]
        major, minor = max(elf.glibc_version, (2, 17))
        return [f"manylinux_{major}_{minor}_{cpu}"]


TARGETS = {
    target.triple: target
    for target in [
        Target("aarch64-apple-darwin", "darwin", "arm64", wheel_tag="macosx_11_0_arm64"),
        Target(
            "aarch64-unknown-linux-gnu",
            "linux",
            "arm64",
            libc="glibc",
            architecture="arm64",
            interpreter="/lib/ld-linux-aarch64.so.1",
        ),
        Target("aarch64-unknown-linux-musl", "linux", "arm64", libc="musl", architecture="arm64"),
        Target("x86_64-apple-darwin", "darwin", "x64", wheel_tag="macosx_10_12_x86_64"),
        Target("x86_64-pc-windows-msvc", "win32", "x64", wheel_tag="win_amd64"),
        Target(
            "x86_64-unknown-linux-gnu",
            "linux",
            "x64",
            libc="glibc",
            architecture="amd64",
            interpreter="/lib64/ld-linux-x86-64.so.2",
        ),
        Target("x86_64-unknown-linux-musl", "linux", "x64", libc="musl", architecture="amd64"),
    ]
}
