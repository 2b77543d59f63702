"""`server.json`: the entry of the MCP registry, which names the packages that serve codedb's tools."""

import json
from pathlib import Path

from build import Build, Skipped
from project import NPM_NAME, PYPI_NAME

SCHEMA = "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json"
DESCRIPTION = "Indexed code search: symbols, callers, context and history of a repository, locally"


def write_server_entry(build: Build) -> Path:
    """Writes the entry and returns its path."""
    project = build.project
    if project.server_name is None:
        raise Skipped(
            "its name contains the owner of a GitHub repository; set `repository` in Cargo.toml, or CODEDB_REPOSITORY"
        )
    server = {
        "$schema": SCHEMA,
        "name": project.server_name,
        "title": "codedb",
        "description": DESCRIPTION,
        "version": project.version,
        "repository": {"url": project.repository, "source": "github"},
        "packages": [
            package("npm", NPM_NAME, "npx", version=project.version),
            package("pypi", PYPI_NAME, "uvx", version=project.version),
            package("oci", f"{project.image_name}:{project.version}", "docker", runtimeArguments=[mount()]),
        ],
    }
    return build.write("server.json", (json.dumps(server, indent=2) + "\n").encode())


def package(kind: str, identifier: str, runtime: str, **fields) -> dict:
    return {
        "registryType": kind,
        "identifier": identifier,
        **fields,
        "runtimeHint": runtime,
        "packageArguments": [{"type": "positional", "value": "mcp"}],
        "transport": {"type": "stdio"},
    }


def mount() -> dict:
    """Returns the argument of `docker run` that makes a directory visible to the server, read-only."""
    directory = {"description": "The repository to serve", "format": "filepath", "isRequired": True}
    return {
        "type": "named",
        "name": "--mount",
        "value": "type=bind,src={directory},dst=/work,readonly",
        "variables": {"directory": directory},
    }
