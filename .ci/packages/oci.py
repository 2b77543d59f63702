"""The container image: an OCI image layout in a tar archive, with a static program and nothing else.

`skopeo copy oci-archive:FILE docker://…` publishes it; `docker load` and `podman load` read it.
"""

import hashlib
import json
import tarfile
from dataclasses import dataclass, field
from pathlib import Path

from archive import File, Folder, gz, tar
from build import Build, Skipped
from project import Project, read_licences, source_date
from target import TARGETS, Target

USER = 65532
HOME = "home/codedb"


@dataclass
class Blobs:
    """The content of an image by its digest."""

    files: dict[str, File] = field(default_factory=dict)

    def add(self, data: bytes, media_type: str) -> dict:
        """Stores the data and returns its descriptor."""
        digest = hashlib.sha256(data).hexdigest()
        self.files[digest] = File(f"blobs/sha256/{digest}", data)
        return {"mediaType": media_type, "digest": f"sha256:{digest}", "size": len(data)}

    def add_json(self, value: dict, media_type: str) -> dict:
        return self.add(json.dumps(value, separators=(",", ":")).encode(), media_type)


def write_image(build: Build) -> Path:
    """Writes an image of the static programs and returns its path."""
    project, blobs = build.project, Blobs()
    manifests = []
    for target, layer in sorted(static_layers(build).items(), key=lambda found: found[0].triple):
        manifest = add_manifest(blobs, project, target, layer, build.level)
        manifests.append({**manifest, "platform": {"architecture": target.architecture, "os": "linux"}})
    if not manifests:
        raise Skipped("it needs a static program; `.ci/release build x86_64-unknown-linux-musl` makes one")
    kind = "application/vnd.oci.image.index.v1+json"
    index = {"schemaVersion": 2, "mediaType": kind, "manifests": manifests, "annotations": labels(project)}
    # With one platform, the image is the manifest itself: `docker load` reads that everywhere.
    image = blobs.add_json(index, kind) if len(manifests) > 1 else manifests[0]
    name = f"{project.image_name or 'docker.io/library/codedb'}:{project.version}"
    image["annotations"] = {"io.containerd.image.name": name, "org.opencontainers.image.ref.name": project.version}
    files = [
        *blobs.files.values(),
        File("index.json", json.dumps({"schemaVersion": 2, "mediaType": kind, "manifests": [image]}).encode()),
        File("oci-layout", b'{"imageLayoutVersion":"1.0.0"}'),
    ]
    return build.write(f"codedb-{project.version}-oci.tar", tar(files, [Folder("blobs"), Folder("blobs/sha256")]))


def static_layers(build: Build) -> dict[Target, bytes]:
    """Returns the layers of the program, if it is static, and of the archives for musl in the folder."""
    found = {}
    if build.program and build.program.elf and build.program.elf.is_static:
        found[build.program.target] = layer(build.program.data, build.program.licences)
    for target in TARGETS.values():
        name = f"codedb-{build.project.version}-{target.triple}"
        path = build.folder / f"{name}.tar.gz"
        if target.libc == "musl" and target not in found and path.is_file():
            with tarfile.open(path) as archive:
                parts = [archive.extractfile(f"{name}/{part}").read() for part in ("codedb", "THIRD-PARTY-LICENSES")]
            found[target] = layer(*parts)
    return found


def layer(program: bytes, licences: bytes) -> bytes:
    """Returns the file system: the program, its licences, a home for the index, and a place for the tree."""
    texts = {**read_licences(), "THIRD-PARTY-LICENSES": licences}
    files = [
        File("codedb", program, is_program=True),
        *(File(f"licenses/{name}", text) for name, text in texts.items()),
    ]
    folders = [
        Folder("home"),
        Folder(HOME, owner=USER),
        Folder("licenses"),
        Folder("tmp", mode=0o1777),
        Folder("work", owner=USER),
    ]
    return tar(files, folders)


def add_manifest(blobs: Blobs, project: Project, target: Target, files: bytes, level: int) -> dict:
    """Stores the layer, the configuration and the manifest of one platform; returns the manifest's descriptor."""
    date = source_date("%Y-%m-%dT%H:%M:%SZ")
    config = {
        "created": date,
        "architecture": target.architecture,
        "os": "linux",
        "config": {
            "User": f"{USER}:{USER}",
            "Env": ["PATH=/", f"HOME=/{HOME}"],
            "Entrypoint": ["/codedb"],
            "Cmd": ["mcp"],
            "WorkingDir": "/work",
            "Labels": labels(project),
        },
        "rootfs": {"type": "layers", "diff_ids": [f"sha256:{hashlib.sha256(files).hexdigest()}"]},
        "history": [{"created": date, "created_by": ".ci/release packages"}],
    }
    kind = "application/vnd.oci.image"
    manifest = {
        "schemaVersion": 2,
        "mediaType": f"{kind}.manifest.v1+json",
        "config": blobs.add_json(config, f"{kind}.config.v1+json"),
        "layers": [blobs.add(gz(files, level), f"{kind}.layer.v1.tar+gzip")],
        "annotations": labels(project),
    }
    return blobs.add_json(manifest, f"{kind}.manifest.v1+json")


def labels(project: Project) -> dict[str, str]:
    return {
        "org.opencontainers.image.title": "codedb",
        "org.opencontainers.image.description": project.summary,
        "org.opencontainers.image.version": project.version,
        "org.opencontainers.image.licenses": project.licence,
        **({"org.opencontainers.image.source": project.repository} if project.repository else {}),
        # The MCP registry checks the owner of an image by it.
        **({"io.modelcontextprotocol.server.name": project.server_name} if project.server_name else {}),
    }
