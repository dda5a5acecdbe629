"""Prints, separated by semicolons, oneDNN's header, library and licence files, or nothing."""

from importlib.metadata import PackageNotFoundError, files


def located(distribution: str, ending: str) -> str:
    for file in files(distribution) or []:
        if str(file).endswith(ending) and file.locate().is_file():
            return str(file.locate().resolve())
    raise FileNotFoundError(ending)


try:
    print(
        located("onednn-devel-cpu-gomp", "oneapi/dnnl/dnnl.h"),
        located("onednn-cpu-gomp", "libdnnl.so.3"),
        located("onednn-cpu-gomp", "doc/onednn/LICENSE"),
        located("onednn-cpu-gomp", "doc/onednn/THIRD-PARTY-PROGRAMS"),
        sep=";",
    )
except (PackageNotFoundError, FileNotFoundError):
    pass
