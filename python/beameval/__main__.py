"""`python -m beameval` is the command `beameval`."""

import os
import subprocess
import sys

from beameval._program import find

if __name__ == "__main__":
    if os.name == "nt":
        sys.exit(subprocess.call([find(), *sys.argv[1:]]))
    os.execv(find(), ["beameval", *sys.argv[1:]])
