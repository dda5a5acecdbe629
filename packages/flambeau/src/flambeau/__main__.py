"""`python -m flambeau`: the commands of flambeau_core."""

import flambeau_core.__main__


def main() -> int:
    return flambeau_core.__main__.main(program="python -m flambeau")


if __name__ == "__main__":
    raise SystemExit(main())
