"""`python -m flambeau`: the commands of flambeau_core."""

from flambeau_core.__main__ import main

if __name__ == "__main__":
    raise SystemExit(main())
