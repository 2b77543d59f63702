"""A build backend that builds nothing: it is called only where no wheel fits the platform."""

import platform
import sys


def build_wheel(*_arguments, **_settings):
    """Ends the installation with one sentence."""
    libc = " ".join(platform.libc_ver()) or "another C library"
    sys.exit(
        f"codedb-cli has no program for {platform.system()} on {platform.machine()} with {libc}; "
        "build it with `cargo install --locked codedb`"
    )


build_sdist = get_requires_for_build_wheel = prepare_metadata_for_build_wheel = build_wheel
