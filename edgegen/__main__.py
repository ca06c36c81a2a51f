"""`python -m edgegen`."""

import sys

from edgegen.cli import main

if __name__ == "__main__":
    sys.exit(main())
