"""Where included headers lie: in the generator's own, in the C library's, or beside the header."""

from __future__ import annotations

import os
import shutil
import subprocess
import sysconfig
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path

_HEADERS = Path(__file__).resolve().parent.parent / "headers"
# What a compiler has of its own; libclang comes without.
COMPILER = _HEADERS / "compiler"
# What most headers need of a C library. With these alone the model doesn't depend on the machine.
FREESTANDING = _HEADERS / "freestanding"

# The headers of C11, POSIX and the C library besides: what they declare is nobody's API here.
_C = (
    "assert complex ctype errno fenv float inttypes iso646 limits locale math setjmp signal"
    " stdalign stdarg stdatomic stdbool stdckdint stdbit stddef stdint stdio stdlib stdnoreturn"
    " string tgmath threads time uchar wchar wctype"
)
_POSIX = (
    "aio cpio dirent dlfcn endian fcntl fmtmsg fnmatch ftw glob grp iconv langinfo libgen libintl"
    " monetary mqueue ndbm netdb nl_types poll pthread pwd regex sched search semaphore spawn"
    " strings stropts syslog tar termios trace ulimit unistd utime utmpx wordexp"
)
_LIBRARY = (
    "alloca argp argz byteswap crypt elf envz err error execinfo features features-time64 fstab"
    " getopt gshadow ifaddrs libio link malloc mcheck memory mntent obstack paths printf"
    " proc_service pty re_comp regexp resolv sgtty shadow stab stdc-predef stdio_ext sysexits"
    " thread_db ttyent uchar ucontext utmp values wait xlocale"
)
_NAMES = frozenset(f"{name}.h" for name in f"{_C} {_POSIX} {_LIBRARY}".split())
_FOLDERS = frozenset(
    ("arpa", "asm", "asm-generic", "bits", "c++", "gnu", "linux", "net", "netinet", "sys")
)


def is_standard(path: Path, system: Sequence[Path]) -> bool:
    """Whether a file is a header of the C library, of the kernel, or of the generator."""
    for folder in (COMPILER, FREESTANDING):
        if path.is_relative_to(folder):
            return True
    for folder in system:
        if path.is_relative_to(folder):
            name = path.relative_to(folder)
            if name.as_posix() in _NAMES or name.parts[0] in _FOLDERS:
                return True
    return False


@cache
def system_folders() -> tuple[Path, ...]:
    """The folders with the C library's headers, as a compiler lists them, else the usual ones."""
    listed = next(
        filter(None, map(_searched, (os.environ.get("CC", ""), "cc", "gcc", "clang"))), ()
    )
    usual = ("/usr/local/include", f"/usr/include/{sysconfig.get_config_var('MULTIARCH')}")
    folders = listed or tuple(map(Path, (*usual, "/usr/include")))
    return tuple(one for one in folders if one.is_dir() and not (one / "stddef.h").is_file())


def _searched(command: str) -> tuple[Path, ...]:
    """The folders that a compiler searches."""
    words = command.split()
    if not words or shutil.which(words[0]) is None:
        return ()
    done = subprocess.run(
        [*words, "-E", "-v", "-x", "c", os.devnull],
        env={**os.environ, "LC_ALL": "C"},
        capture_output=True,
        text=True,
        check=False,
    )
    _, _, rest = done.stderr.partition("#include <...> search starts here:\n")
    lines, end, _ = rest.partition("End of search list.")
    return tuple(Path(line.strip()).resolve() for line in lines.splitlines()) if end else ()


def beside(folders: Sequence[Path], name: str) -> Path | None:
    """A folder near the given ones that has a header, as vendors' packages lie; None without one.

    In include/one/, <one/x.h> and <two/y.h> are found from include/. What one/include/ lacks may
    lie in two/include/, and what include/ lacks in a folder of it.
    """
    return next((one for folder in folders for one in _near(folder, name)), None)


def _near(folder: Path, name: str) -> Iterator[Path]:
    first = Path(name).parts[0]
    for outer in folder.parents:
        if (outer.name == "include" or folder.is_relative_to(outer / first)) and (
            outer / name
        ).is_file():
            yield outer
    for pattern in ("*", "../../*/include", "../../*/include/*") if folder.name else ():
        if pattern == "*" or folder.name == "include":
            for match in sorted(folder.glob(f"{pattern}/{name}")):
                yield Path(os.path.normpath(str(match).removesuffix(name)))
