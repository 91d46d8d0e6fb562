"""Puts the program for one platform into the wheel, as a script that pip installs on PATH.

BEAMEVAL_PROGRAM is the file of the program, from the root of the repository, BEAMEVAL_PLATFORM the tag of the platform, as in
https://packaging.python.org/specifications/platform-compatibility-tags.
"""

import os
import pathlib

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class ProgramHook(BuildHookInterface):
    def initialize(self, version, build_data):
        program = pathlib.Path(self.root).parent / os.environ["BEAMEVAL_PROGRAM"]
        build_data["tag"] = f"py3-none-{os.environ['BEAMEVAL_PLATFORM']}"
        build_data["pure_python"] = False
        build_data["shared_scripts"][str(program)] = "beameval" + program.suffix
