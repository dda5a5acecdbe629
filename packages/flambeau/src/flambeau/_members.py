"""What to say when a module of the namespace is asked for and its package is not installed."""

from importlib.util import find_spec


def require(module: str, distribution: str) -> None:
    """Raise ModuleNotFoundError unless the package behind `module` is installed."""
    package = distribution.replace("-", "_")
    if find_spec(package) is None:
        raise ModuleNotFoundError(
            f"{module} needs the package {distribution}: pip install {distribution}", name=package
        )
