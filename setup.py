"""Builds the compiled part of the Python package with CMake: 'pip install --no-build-isolation --no-deps .' in the project's folder.

A build folder that './ivp' has made (build/release) is used, so that only the module itself is compiled; otherwise the library is built in build/python.
"""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from setuptools import Extension, setup
from setuptools.command.build_ext import build_ext

SOURCE = Path(__file__).resolve().parent


class CMakeBuild(build_ext):
    def build_extension(self, extension):
        folder = SOURCE / "build" / "release"
        options = ["-DIVP_BUILD_PYTHON=ON", f"-DIVP_PYTHON={sys.executable}"]
        if not (folder / "CMakeCache.txt").exists():
            folder = SOURCE / "build" / "python"
            options += ["-GNinja", "-DCMAKE_BUILD_TYPE=Release"]
            options += [f"-DIVP_BUILD_{part}=OFF" for part in ("TESTS", "TOOL", "EXAMPLES", "PLUGINS", "FORTRAN")]
        subprocess.check_call(["cmake", "-S", str(SOURCE), "-B", str(folder), *options], stdout=subprocess.DEVNULL)
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
