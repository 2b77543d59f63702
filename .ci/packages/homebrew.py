"""The Homebrew formula, which installs the archives of a release."""

import sys
from pathlib import Path

from build import Build, Skipped

# The archives by the blocks of a formula.
PLATFORMS = {
    "macos": {"arm": "aarch64-apple-darwin", "intel": "x86_64-apple-darwin"},
    "linux": {"arm": "aarch64-unknown-linux-gnu", "intel": "x86_64-unknown-linux-gnu"},
}

FORMULA = '''\
# Written by `.ci/release packages`; do not edit.
class Codedb < Formula
  desc "Indexed code search for people and agents"
  homepage "{homepage}"
  version "{version}"
  license any_of: ["MIT", "Apache-2.0"]

{platforms}
  def install
    bin.install "codedb"
    doc.install "README.md", "CHANGELOG.md", "THIRD-PARTY-LICENSES"
    generate_completions_from_executable(bin/"codedb", "completions")
    overview = Utils.safe_popen_read(bin/"codedb", "man")
    (man1/"codedb.1").write overview
    overview.scan(/^codedb\\\\-([a-z\\\\-]+)\\(1\\)$/).flatten.each do |escaped|
      command = escaped.delete("\\\\")
      (man1/"codedb-#{{command}}.1").write Utils.safe_popen_read(bin/"codedb", "man", command)
    end
  end

  test do
    (testpath/"a.txt").write "needle\\n"
    assert_equal "a.txt:needle\\n", shell_output("#{{bin}}/codedb search --no-background needle")
  end
end
'''


def write_formula(build: Build) -> Path:
    """Writes `codedb.rb` from the archives in the folder, and prints the names of those that are not there."""
    project = build.project
    if project.download_address is None:
        raise Skipped("the repository has no address; set `repository` in Cargo.toml, or CODEDB_REPOSITORY")
    blocks = []
    for system, processors in PLATFORMS.items():
        inner = []
        for processor, triple in processors.items():
            archive = f"codedb-{project.version}-{triple}.tar.gz"
            checksum = build.folder / f"{archive}.sha256"
            if not checksum.is_file():
                print(f"homebrew: left out, because it is missing: {archive}", file=sys.stderr)
                continue
            digest = checksum.read_text().split()[0]
            inner.append(
                f'    on_{processor} do\n      url "{project.download_address}/{archive}"\n'
                f'      sha256 "{digest}"\n    end\n'
            )
        if inner:
            blocks.append(f"  on_{system} do\n{''.join(inner)}  end\n")
    if not blocks:
        raise Skipped(f"no archive of version {project.version} is in {build.folder}")
    platforms = "\n".join(blocks)
    text = FORMULA.format(homepage=project.repository, version=project.version, platforms=platforms)
    return build.write("codedb.rb", text.encode())
