"""The build backend of pyproject.toml (PEP 517): CMake builds the module, this packs it as a wheel.

The same sources give the same bytes: entries are sorted and carry SOURCE_DATE_EPOCH. The build folder is `build`, or what
`--config-settings build=FOLDER` names; the module is built for the Python that runs this.
"""

import base64
import hashlib
import os
import pathlib
import re
import subprocess
import sys
import sysconfig
import time
import zipfile

ROOT = pathlib.Path(__file__).resolve().parents[1]


def _version():
    return re.search(r"project\(fabricast VERSION (\S+)", (ROOT / "CMakeLists.txt").read_text()).group(1)


def _tag():
    python = f"cp{sys.version_info.major}{sys.version_info.minor}"
    return f"{python}-{python}-{sysconfig.get_platform().replace('-', '_').replace('.', '_')}"


def _metadata():
    return (f"Metadata-Version: 2.1\nName: fabricast\nVersion: {_version()}\n"
            "Summary: Forecasts what the interconnect of a GPU cluster will do\nLicense: Apache-2.0\n"
            "Requires-Python: >=3.9\nRequires-Dist: numpy\n")


def _build(folder):
    """The package's folder in the build, with the module for this Python in it."""
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    if not (folder / "CMakeCache.txt").exists():
        subprocess.run(["cmake", "-S", ROOT, "-B", folder, "-G", "Ninja", "-DCMAKE_BUILD_TYPE=Release",
                        "-DCMAKE_UNITY_BUILD=ON", "-DFABRICAST_TESTS=OFF", f"-DPython_EXECUTABLE={sys._base_executable}"],
                       check=True)
    subprocess.run(["cmake", "--build", folder, "--target", "_fabricast"], check=True)
    package = folder / "python" / "fabricast"
    if not (package / f"_fabricast{suffix}").exists():
        raise RuntimeError(f"{folder} builds for another Python than {sys.executable} (accepted: "
                           "--config-settings build=ANOTHER-FOLDER)")
    return package


def get_requires_for_build_wheel(config_settings=None):
    return []


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    package = _build((ROOT / (config_settings or {}).get("build", "build")).resolve())
    suffix = sysconfig.get_config_var("EXT_SUFFIX")
    info = f"fabricast-{_version()}.dist-info"
    entries = {f"fabricast/{file.name}": file.read_bytes() for file in package.iterdir()
               if file.suffix in (".py", ".pyi", ".typed") or file.name in ("py.typed", f"_fabricast{suffix}")}
    for engine in (package.parents[1] / "lib" / "fabricast").glob("*.so"):
        entries[f"fabricast/{engine.name}"] = engine.read_bytes()
    entries[f"{info}/METADATA"] = _metadata().encode()
    entries[f"{info}/WHEEL"] = f"Wheel-Version: 1.0\nGenerator: fabricast\nRoot-Is-Purelib: false\nTag: {_tag()}\n".encode()
    entries[f"{info}/LICENSE"] = (ROOT / "LICENSE").read_bytes()
    record = [f"{name},sha256={base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b'=').decode()},{len(data)}"
              for name, data in sorted(entries.items())]
    entries[f"{info}/RECORD"] = ("\n".join([*record, f"{info}/RECORD,,"]) + "\n").encode()
    name = f"fabricast-{_version()}-{_tag()}.whl"
    when = time.gmtime(max(int(os.environ.get("SOURCE_DATE_EPOCH", 315532800)), 315532800))[:6]  # zip begins in 1980
    with zipfile.ZipFile(pathlib.Path(wheel_directory) / name, "w", zipfile.ZIP_DEFLATED) as wheel:
        for path, data in sorted(entries.items()):
            entry = zipfile.ZipInfo(path, when)
            entry.compress_type, entry.external_attr = zipfile.ZIP_DEFLATED, 0o100644 << 16
            wheel.writestr(entry, data)
    return name


if __name__ == "__main__":
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    print(folder / build_wheel(folder))
