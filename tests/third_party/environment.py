"""A fresh virtual environment with the wheels of Flambeau, as a user of a plugin has it."""

from __future__ import annotations

import os
import subprocess
import venv
from pathlib import Path

VARIABLE = "FLAMBEAU_WHEELS"


def wheels() -> list[str]:
    """The wheels to test, which the environment variable lists."""
    listed = os.environ.get(VARIABLE)
    if not listed:
        raise RuntimeError(f"{VARIABLE} lists no wheels: run python -m nox -s third_party")
    return listed.split(os.pathsep)


class Environment:
    def __init__(self, folder: Path) -> None:
        venv.create(folder, with_pip=True)
        binaries = folder / ("Scripts" if os.name == "nt" else "bin")
        self.python = binaries / "python"
        self.folder = folder

    def install(self, *arguments: str) -> None:
        command = [self.python, "-m", "pip", "install", "--quiet", *arguments]
        subprocess.run(list(map(str, command)), check=True)

    def run(
        self, *arguments: str, path: Path | None = None, **variables: str
    ) -> subprocess.CompletedProcess[str]:
        """Runs Python; `path` is a further folder of installed packages."""
        environment = {k: v for k, v in os.environ.items() if not k.startswith("FLAMBEAU_")}
        environment |= {"PYTHONPATH": str(path or ""), **variables}
        return subprocess.run(
            [str(self.python), *arguments],
            cwd=self.folder,
            env=environment,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )

    def output(self, code: str, path: Path | None = None, **variables: str) -> str:
        """What a program prints; it must end well and warn of nothing that it does not catch."""
        done = self.run("-W", "error", "-c", code, path=path, **variables)
        assert done.returncode == 0, done.stderr
        return done.stdout.strip()


PROJECT = """\
[build-system]
requires = ["hatchling>=1.27"]
build-backend = "hatchling.build"

[project]
name = "{name}"
version = "1.2"

[project.entry-points."flambeau.backends"]
{device_type} = "{module}"
"""
PLUGIN = """\
{top}
from flambeau_core.plugins import BackendSpec, hookimpl


@hookimpl
def flambeau_register_backends():
    return [BackendSpec("{device_type}", "{backend}", api_version={api_version}, factory="m:f")]
"""


def write_plugin(
    folder: Path,
    name: str,
    device_type: str,
    backend: str = "fast",
    api_version: int = 1,
    top: str = "",
) -> Path:
    """The project of a plugin that registers one backend."""
    module = name.replace("-", "_")
    package = folder / name / module
    package.mkdir(parents=True)
    (folder / name / "pyproject.toml").write_text(
        PROJECT.format(name=name, module=module, device_type=device_type)
    )
    (package / "__init__.py").write_text(
        PLUGIN.format(top=top, device_type=device_type, backend=backend, api_version=api_version)
    )
    return folder / name
