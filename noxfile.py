"""Everything that this repository does with itself: `nox -l` lists it.

One table below feeds every session. Native code is compiled once per Python into wheels under
dist/wheels; every other session installs those wheels, so that what is tested is what is shipped.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import nox

nox.needs_version = ">=2025.2"
nox.options.error_on_missing_interpreters = False
nox.options.download_python = "never"
nox.options.default_venv_backend = "uv|virtualenv"
nox.options.sessions = ["tests", "lint"]

ROOT = Path(__file__).parent
WHEELS = ROOT / "dist" / "wheels"
PYTHONS = ["3.10", "3.11", "3.12", "3.13"]
# The Python that runs nox is the one interpreter sure to exist: it gets the whole matrix.
HOME = f"{sys.version_info.major}.{sys.version_info.minor}"
OTHERS = [python for python in PYTHONS if python != HOME]
BACKENDS = ["reference", "cpu"]
TEST_TOOLS = ["pytest>=8", "hypothesis>=6.100"]


@dataclass(frozen=True)
class Package:
    """One project of the repository; `needs` names those of ours that it depends on."""

    folder: str
    needs: tuple[str, ...] = ()
    native: bool = False
    backends: tuple[str, ...] = ("reference", "cpu")

    @property
    def path(self) -> Path:
        return ROOT / self.folder

    def sources(self) -> list[Path]:
        """What the wheel is made of; a plugin is also made of core's headers."""
        roots = [self.path / part for part in ("src", "native", "include", "cmake")]
        if self.native:
            roots.append(ROOT / "packages" / "core" / "include")
        files = {
            self.path / "CMakeLists.txt",
            self.path / "pyproject.toml",
            self.path / "README.md",
        }
        for root in roots:
            files.update(path for path in root.rglob("*") if "__pycache__" not in path.parts)
        return sorted(path for path in files if path.is_file() and path.suffix != ".so")


PACKAGES = {
    "core": Package("packages/core", native=True),
    "cpu": Package("plugins/cpu", needs=("core",), native=True, backends=("cpu",)),
    "nn": Package("packages/nn", needs=("core",)),
    "optim": Package("packages/optim", needs=("core",)),
    "data": Package("packages/data", needs=("core",)),
    "testing": Package("packages/testing", needs=("core",)),
    "vision": Package("packages/vision", needs=("core", "nn", "data")),
    "distributions": Package("packages/distributions", needs=("core",)),
    "flambeau": Package("packages/flambeau", needs=("core", "nn", "optim", "data")),
}
# What a package's tests use beyond what the package itself needs.
TEST_NEEDS = {
    "core": ("testing",),
    "cpu": ("testing",),
    "nn": ("testing", "optim"),
    "optim": ("testing", "nn"),
    "data": ("testing",),
    "testing": (),
    "vision": ("testing", "optim"),
    "distributions": ("testing",),
    "flambeau": ("testing", "vision", "distributions"),
}
MATRIX = [
    nox.param(package, backend, id=f"{package}-{backend}", tags=[package, backend])
    for package, row in PACKAGES.items()
    for backend in row.backends
]


def wheel_folder(name: str, python: str) -> Path:
    """Pure wheels serve every Python and are built once."""
    return WHEELS / (f"cp{python.replace('.', '')}" if PACKAGES[name].native else "any") / name


def fingerprint(name: str) -> str:
    digest = hashlib.sha256()
    for path in [*PACKAGES[name].sources(), ROOT / "requirements-build.txt"]:
        digest.update(str(path.relative_to(ROOT)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


def is_built(name: str, python: str) -> bool:
    folder = wheel_folder(name, python)
    stamp = folder / "sources.sha256"
    return stamp.is_file() and stamp.read_text() == fingerprint(name) and any(folder.glob("*.whl"))


def with_needs(names: tuple[str, ...]) -> list[str]:
    """The packages named and all that they depend on, in the order of the table."""
    wanted = set(names)
    while more := {need for name in wanted for need in PACKAGES[name].needs} - wanted:
        wanted |= more
    return [name for name in PACKAGES if name in wanted]


def wheels(session: nox.Session, *names: str) -> list[str]:
    """The wheels that `build` made of these packages of ours and of what they need."""
    paths = []
    for name in with_needs(names):
        found = list(wheel_folder(name, str(session.python)).glob("*.whl"))
        if not found:
            session.error(f"no wheel of {name} for Python {session.python}: run the build session")
        paths += [str(found[0])]
    return paths


def install(session: nox.Session, *names: str, extra: list[str] | None = None) -> None:
    """Install these packages of ours, with what they need, from their wheels."""
    session.install(*wheels(session, *names), *(extra or []))


@nox.session(
    python=sorted({HOME, *PYTHONS}), default=False, reuse_venv=True, venv_backend="virtualenv"
)
def build(session: nox.Session) -> None:
    """Make the wheel of every package whose sources changed."""
    python = str(session.python)
    stale = [name for name in PACKAGES if not is_built(name, python)]
    if not stale:
        session.log("every wheel is up to date")
        return
    session.install("-r", "requirements-build.txt")
    for name in stale:
        folder = wheel_folder(name, python)
        shutil.rmtree(folder, ignore_errors=True)
        session.run(
            *("python", "-m", "pip", "wheel", "--quiet", "--no-deps", "--no-build-isolation"),
            *("--wheel-dir", str(folder), str(PACKAGES[name].path)),
        )
        (folder / "sources.sha256").write_text(fingerprint(name))


def run_tests(session: nox.Session, package: str, backend: str) -> None:
    names = (package, *TEST_NEEDS[package], *(("cpu",) if backend == "cpu" else ()))
    install(session, *names, extra=TEST_TOOLS)
    pytest = ["python", "-m", "pytest", "--backend", backend]
    session.run(*pytest, f"{PACKAGES[package].folder}/tests", *session.posargs)
    if package == "testing":
        session.run(*pytest, "--quiet", "--pyargs", "flambeau_testing.conformance")


@nox.session(python=[HOME], requires=["build-{python}"])
@nox.parametrize(["package", "backend"], MATRIX)
def tests(session: nox.Session, package: str, backend: str) -> None:
    """Run a package's tests on a backend, then queue what else proves that package."""
    run_tests(session, package, backend)
    if (package, backend) == ("core", "reference"):
        # These follow from the ops that the built core declares, so lint cannot check them.
        session.install("ruff>=0.9")
        session.run("python", "tools/make_stubs.py", "--check")
        session.run("python", "tools/make_op_reference.py", "--check")
    session.notify(f"isolation-{HOME}({package})")
    if package == "flambeau":
        session.notify(f"third_party-{HOME}")
        # What a queued session requires is not queued with it.
        session.notify(f"build-{OTHERS[0]}")
        session.notify(f"smoke-{OTHERS[0]}")


@nox.session(python=OTHERS, requires=["build-{python}"], default=False)
@nox.parametrize(["package", "backend"], MATRIX)
def matrix(session: nox.Session, package: str, backend: str) -> None:
    """The same tests on the other Pythons."""
    run_tests(session, package, backend)


@nox.session(python=sorted({HOME, *PYTHONS}), requires=["build-{python}"], default=False)
@nox.parametrize("package", [nox.param(name, id=name, tags=[name]) for name in PACKAGES])
def isolation(session: nox.Session, package: str) -> None:
    """Install one package alone from its wheel, import it and use it."""
    install(session, package)
    session.run("python", "-I", "tools/isolation.py", package, *with_needs((package,)))


@nox.session(python=OTHERS, requires=["build-{python}"], default=False)
def smoke(session: nox.Session) -> None:
    """On another Python: everything installed from wheels, a few tests of every package."""
    install(session, *PACKAGES, extra=TEST_TOOLS)
    for name in PACKAGES:
        session.run("python", "-I", "tools/isolation.py", name, *PACKAGES)
    session.run("python", "-m", "pytest", "-q", "packages/flambeau/tests", "packages/nn/tests")


@nox.session(python=[HOME], requires=["build-{python}"], default=False, reuse_venv=True)
def third_party(session: nox.Session) -> None:
    """A device by somebody else, installed with pip beside our wheels into a fresh environment."""
    session.install("pytest>=8")
    listed = os.pathsep.join(wheels(session, "core", "nn", "optim", "data", "testing", "cpu"))
    session.run(
        *("python", "-m", "pytest", "tests/third_party", *session.posargs),
        env={"FLAMBEAU_WHEELS": listed},
    )


@nox.session(python=[HOME], default=False, reuse_venv=True)
def lint(session: nox.Session) -> None:
    """ruff, mypy, clang-format, and whether the generated shims are up to date."""
    session.install("ruff>=0.9", "mypy>=1.15", "clang-format~=23.1")
    session.install("numpy", "pillow", "pluggy", "pytest")  # their types
    session.run("ruff", "check", ".")
    session.run("ruff", "format", "--check", ".")
    session.run("python", "tools/make_shims.py", "--check")
    session.run("python", "tools/set_version.py", "--check")
    session.run("python", "tools/make_kernel_reference.py", "--check")
    native = [
        str(path.relative_to(ROOT))
        for row in PACKAGES.values()
        for part in ("native", "include")
        for path in sorted((row.path / part).rglob("*"))
        if path.suffix in {".cpp", ".h"}
    ]
    session.log(f"clang-format of {len(native)} files")
    session.run("clang-format", "--dry-run", "--Werror", "--ferror-limit=20", *native, log=False)
    session.run("mypy", "tools", *(f"{row.folder}/src" for row in PACKAGES.values()))


# The tests that reach native code most, and most oddly.
SANITIZED_TESTS = {
    "core": [
        "test_autograd*.py",
        "test_checkpoint.py",
        "test_complex*.py",
        "test_convolution.py",
        "test_dlpack.py",
        "test_dtypes_devices.py",
        "test_errors.py",
        "test_extreme_arguments.py",
        "test_factories.py",
        "fuzz/test_*.py",
        "test_fuzz*.py",
        "test_index*.py",
        "test_inplace_and_out.py",
        "test_memory_format.py",
        "test_numpy_sharing.py",
        "test_op_samples.py",
        "test_parting.py",
        "test_pickling.py",
        "test_promotion.py",
        "test_python_backend.py",
        "test_saved_tensors_hooks.py",
        "test_serialization.py",
        "test_views.py",
    ],
    "cpu": ["test_*.py"],
}


def build_sanitized(session: nox.Session, name: str, site: Path) -> None:
    """A package with its native code sanitized, laid out in `site` to be imported from there."""
    folder = ROOT / "build" / "sanitize" / name
    (pybind11,) = str(session.run("python", "-m", "pybind11", "--cmakedir", silent=True)).split()
    flags = "-fsanitize=address,undefined -fno-omit-frame-pointer -g1"
    session.run(
        *("cmake", "-G", "Ninja", "-S", PACKAGES[name].folder, "-B", str(folder)),
        *("-DCMAKE_BUILD_TYPE=Release", f"-DCMAKE_CXX_FLAGS={flags}"),
        *("-DCMAKE_CXX_FLAGS_RELEASE=-O1", f"-Dpybind11_DIR={pybind11}"),
        f"-DPython_EXECUTABLE={session.bin}/python",
        silent=True,
    )
    session.run("cmake", "--build", str(folder), silent=True)
    package = site / f"flambeau_{name}"
    source = PACKAGES[name].path / "src" / package.name
    shutil.copytree(source, package, ignore=shutil.ignore_patterns("*.so", "__pycache__"))
    session.run("cmake", "--install", str(folder), "--prefix", str(package), silent=True)


@nox.session(python=[HOME], requires=["build-{python}"], default=False, reuse_venv=True)
def sanitize(session: nox.Session) -> None:
    """Run the tests that reach native code with its memory and its arithmetic watched.

    Linux with GCC; takes some minutes. Arguments are handed to pytest.
    """
    install(session, "core", "cpu", "testing", extra=TEST_TOOLS)
    session.install("-r", "requirements-build.txt")
    site = ROOT / "build" / "sanitize" / "site"
    shutil.rmtree(site, ignore_errors=True)
    for name in SANITIZED_TESTS:
        build_sanitized(session, name, site)
    shutil.copytree(PACKAGES["core"].path / "include", site / "flambeau_core" / "include")
    libraries = [
        str(session.run("gcc", f"-print-file-name={name}", silent=True, external=True)).strip()
        for name in ("libasan.so", "libstdc++.so.6")
    ]
    env = {
        "PYTHONPATH": str(site),
        "LD_PRELOAD": " ".join(libraries),
        # CPython keeps memory until its end. Sizes beyond reason are to raise, not to end it.
        "ASAN_OPTIONS": "detect_leaks=0:allocator_may_return_null=1:max_allocation_size_mb=4096",
        "UBSAN_OPTIONS": "halt_on_error=1:print_stacktrace=1",
    }
    for name, patterns in SANITIZED_TESTS.items():
        tests = PACKAGES[name].path / "tests"
        files = sorted(str(path) for pattern in patterns for path in tests.glob(pattern))
        for backend in PACKAGES[name].backends:
            pytest = ("python", "-m", "pytest", "-q", "--backend", backend)
            brief = ("--hypothesis-profile", "brief") if name == "core" else ()
            session.run(*pytest, *brief, *files, *session.posargs, env=env)


@nox.session(python=[HOME], requires=["build-{python}"], default=False)
def docs(session: nox.Session) -> None:
    """Run every example of the documentation, and the tests of the example programs."""
    install(session, *PACKAGES, extra=TEST_TOOLS)
    session.install("-r", "requirements-build.txt")  # one page adds an op in C++
    session.run("python", "-m", "pytest", "docs", "examples", *session.posargs)


@nox.session(python=[HOME], requires=["build-{python}"], default=False)
def bench(session: nox.Session) -> None:
    """Run the benchmark program given: nox -s bench -- PATH/bench.py [its options]."""
    if not session.posargs:
        session.error("say which program: nox -s bench -- PATH/bench.py [its options]")
    install(session, *PACKAGES)
    session.run("python", *session.posargs)


@nox.session(python=[HOME], requires=["build-{python}"], default=False)
def train(session: nox.Session) -> None:
    """Train the MNIST classifier: nox -s train -- [--model cnn] [--epochs N] ..."""
    install(session, "flambeau", "vision", "cpu")
    arguments = list(session.posargs)
    if not any(argument.split("=")[0] in {"--data", "-h", "--help"} for argument in arguments):
        session.run("python", "examples/mnist/fetch.py", "--to", "data")
        arguments += ["--data", "data"]
    program = [f"{session.bin}/python", "examples/mnist/train.py", *arguments]
    if code := subprocess.run(program, check=False).returncode:
        sys.exit(code)  # the program's own, which tells bad input from failure; nox would say 1


@nox.session(python=[HOME], default=False, venv_backend="none")
def dev(session: nox.Session) -> None:
    """Set up .venv with every package editable and the tools to work on them."""
    python = ROOT / ".venv" / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    if not python.exists():
        session.run(sys.executable, "-m", "venv", ".venv")
    pip = [str(python), "-m", "pip", "install", "--quiet"]
    session.run(*pip, "-r", "requirements-build.txt", external=True)
    session.run(*pip, "--no-build-isolation", "-r", "requirements-dev.txt", external=True)
    session.log("ready: activate .venv; run this session again after a change to native code")
