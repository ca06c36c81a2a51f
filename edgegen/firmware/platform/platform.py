"""PlatformIO development platform that lives in the project and downloads nothing."""

from __future__ import annotations

import importlib.util
import json
import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from platformio.dependencies import get_core_dependencies
from platformio.package.manager.core import get_core_package_dir
from platformio.platform.base import PlatformBase


class EdgegenPlatform(PlatformBase):  # type: ignore[misc]  # PlatformIO has no types
    """The name is PlatformIO's rule: the platform's name, capitalised, and `Platform`."""

    def configure_default_packages(self, options: dict[str, Any], targets: list[str]) -> Any:
        """PlatformIO calls this before it looks for its build engine."""
        if not get_core_package_dir("tool-scons", auto_install=False):
            self._provide_scons()
        return super().configure_default_packages(options, targets)

    def is_embedded(self) -> bool:
        """No serial port is involved: images report by semihosting or standard output."""
        return False

    def _provide_scons(self) -> None:
        """Make PlatformIO's `tool-scons` from the SCons next to it, so that it is not downloaded."""
        found = importlib.util.find_spec("SCons")
        if found is None or found.origin is None:
            sys.stderr.write(
                "edgegen: no SCons next to PlatformIO, which will download it. "
                f"To build offline: {sys.executable} -m pip install scons\n"
            )
            return
        version = get_core_dependencies()["tool-scons"].lstrip("~^=")
        packages = Path(self.pm.package_dir)
        packages.mkdir(parents=True, exist_ok=True)
        # PlatformIO overlooks folders with this prefix, so that nobody meets a half-filled package.
        draft = Path(tempfile.mkdtemp(prefix="_tmp_installing-", dir=str(packages)))
        try:
            self._fill(draft, Path(found.origin).parent, packages / "tool-scons", version)
            draft.chmod(0o755)
            draft.rename(packages / "tool-scons")
        except OSError:
            if not (packages / "tool-scons").is_dir():  # else another build was faster
                raise
        finally:
            shutil.rmtree(str(draft), ignore_errors=True)
        self.pm.memcache_reset()

    @staticmethod
    def _fill(folder: Path, scons: Path, destination: Path, version: str) -> None:
        shutil.copytree(
            str(scons), str(folder / "SCons"), ignore=shutil.ignore_patterns("__pycache__", "docbook")
        )
        (folder / "scons.py").write_text("from SCons.Script.Main import main\n\nmain()\n", encoding="utf-8")
        manifest = {
            "name": "tool-scons",
            "version": version,
            "description": "Copied from pip's SCons by edgegen",
        }
        (folder / "package.json").write_text(json.dumps(manifest), encoding="utf-8")
        # The owner is the only one that the core package manager takes; the address keeps it from asking
        # the registry for updates, which fails without a network.
        spec = {
            "owner": "platformio",
            "id": None,
            "name": "tool-scons",
            "requirements": None,
            "uri": f"file://{destination}",
        }
        piopm = {"type": "tool", "name": "tool-scons", "version": version, "spec": spec}
        (folder / ".piopm").write_text(json.dumps(piopm), encoding="utf-8")
