"""Intel's mathematics library, which Flambeau does not use."""


def is_available() -> bool:
    """Never."""
    return False
