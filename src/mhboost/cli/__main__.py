"""`python -m mhboost.cli` is `mhboost`."""

from . import main

if __name__ == "__main__":
    main()
