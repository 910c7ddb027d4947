"""Builds the compiled part of the Python package with CMake: 'pip install --no-build-isolation --no-deps .' in the project's folder.

A build folder that './ivp' has made (build/release) is used, so that only the module itself is compiled; otherwise the library is built in build/python,
without the tool and the tests.
"""

import os
import platform
import re
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

SOURCE = Path(__file__).resolve().parent


def interpreter():
    """That of Debian rather than that of a virtual environment, which may be gone at the next build; it must have NumPy."""
    base = getattr(sys, "_base_executable", sys.executable)
    has_numpy = subprocess.run([base, "-c", "import numpy"], capture_output=True).returncode == 0
    return base if has_numpy else sys.executable


def instruction_set():
    """As tools/setup.sh: an old processor gets a build that runs everywhere."""
    if platform.machine() != "x86_64":
        return ""
    known = Path("/proc/cpuinfo").read_text().split()
    return "x86-64-v3" if all(word in known for word in ("avx2", "fma", "bmi2")) else ""


def debian_packages():
    listed = re.search(r"^build_packages=\((.*)\)", (SOURCE / "tools" / "setup.sh").read_text(), re.MULTILINE)
    return listed[1] + " python3-dev"


class CMakeBuild(build_ext):
    def build_extension(self, extension):
        folder = SOURCE / "build" / "release"
        options = ["-DIVP_BUILD_PYTHON=ON", f"-DIVP_PYTHON={interpreter()}"]
        if not (folder / "CMakeCache.txt").exists():
            folder = SOURCE / "build" / "python"
            options += ["-GNinja", "-DCMAKE_BUILD_TYPE=Release", f"-DIVP_ARCH={instruction_set()}"]
            options += [f"-DIVP_BUILD_{part}=OFF" for part in ("TESTS", "TOOL", "EXAMPLES", "PLUGINS", "FORTRAN")]
        try:
            subprocess.check_call(["cmake", "-S", str(SOURCE), "-B", str(folder), *options], stdout=subprocess.DEVNULL)
        except (OSError, subprocess.CalledProcessError) as e:
            raise SystemExit(f"ivp: CMake cannot prepare the build ({e}). On Debian this brings what it needs:\n"
                             f"apt-get install --no-install-recommends {debian_packages()}") from None
        subprocess.check_call(["cmake", "--build", str(folder), "--target", "ivp_python", "--parallel", str(os.cpu_count() or 1)])
        target = Path(self.get_ext_fullpath(extension.name)).resolve()
        staged = Path(self.build_temp).resolve() / "staged"
        subprocess.check_call(["cmake", "--install", str(folder), "--component", "python", "--prefix", str(staged)], stdout=subprocess.DEVNULL)
        target.parent.mkdir(parents=True, exist_ok=True)
        for file in (staged / "ivp").iterdir():
            if file.is_symlink():
                continue  # a wheel has no links: the library goes by the name that the loader asks for
            name = re.sub(r"(libivp_c\.so\.\d+)\..*", r"\1", file.name)
            if file.is_dir():
                shutil.copytree(file, target.parent / name, dirs_exist_ok=True)
            else:
                shutil.copy2(file, target.parent / name)


version = re.search(r"project\(ivp VERSION ([0-9.]+)", (SOURCE / "CMakeLists.txt").read_text())[1]
setup(version=version, ext_modules=[Extension("ivp._core", sources=[])], cmdclass={"build_ext": CMakeBuild})
