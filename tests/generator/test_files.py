"""Several files change together: if any step fails, all files stay as they were."""

from __future__ import annotations

import os
import resource
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from generator.files import WriteError, only_writer, write_files


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    (tmp_path / "old").mkdir()
    for name in ("a", "b", "c"):
        (tmp_path / "old" / name).write_text(f"old {name}\n")
    (tmp_path / "old" / "b").chmod(0o640)
    return tmp_path


def content(tree: Path) -> dict[str, bytes | None]:
    return {
        path.relative_to(tree).as_posix(): path.read_bytes() if path.is_file() else None
        for path in tree.rglob("*")
    }


def changes(tree: Path) -> dict[Path, str | None]:
    return {
        tree / "old" / "a": "new a\n",
        tree / "new" / "deep" / "d": "d" * 5000,
        tree / "old" / "b": "new b\n",
        tree / "old" / "c": None,
    }


def test_all_is_written(tree: Path) -> None:
    assert write_files(changes(tree)) == list(changes(tree))
    assert content(tree) == {
        "old": None,
        "old/a": b"new a\n",
        "old/b": b"new b\n",
        "new": None,
        "new/deep": None,
        "new/deep/d": b"d" * 5000,
    }
    assert (tree / "old" / "b").stat().st_mode & 0o777 == 0o640
    assert write_files(changes(tree)) == []


def test_a_removed_link_leads_nowhere_else(tree: Path) -> None:
    """The file that it leads to may lie outside of the tree."""
    link = tree / "link"
    for leads_to in ("old/a", "nowhere"):
        link.symlink_to(leads_to)
        before = content(tree / "old")
        with pytest.raises(WriteError):
            write_files({link: None, tree / "old" / "b" / "no folder": "text"})
        assert os.readlink(link) == leads_to
        assert write_files({link: None}) == [link]
        assert not os.path.lexists(link) and content(tree / "old") == before


def test_two_links_to_one_file_are_refused(tree: Path) -> None:
    for name in ("one", "other"):
        (tree / name).symlink_to("old/a")
    with pytest.raises(WriteError, match=r"other: leads to .*old/a, which is written"):
        write_files({tree / "one": "1", tree / "other": "2"})
    assert (tree / "old" / "a").read_text() == "old a\n"


def test_a_link_stays_one(tree: Path) -> None:
    (tree / "link").symlink_to("old/a")
    write_files({tree / "link": "new\n"})
    assert (tree / "link").is_symlink()
    assert (tree / "old" / "a").read_text() == "new\n"


@contextmanager
def little_room() -> Iterator[None]:
    """Limits the size of files, as a full disk does."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def test_what_has_no_room_changes_nothing(tree: Path) -> None:
    before = content(tree)
    with little_room(), pytest.raises(WriteError, match=r"new/deep/\.d.*File too large"):
        write_files(changes(tree))
    assert content(tree) == before


@pytest.mark.parametrize("step", range(4))
def test_a_signal_right_after_a_step_changes_nothing(
    tree: Path, monkeypatch: pytest.MonkeyPatch, step: int
) -> None:
    """A step that was done, but not noted yet, is undone, too."""
    calls = 0

    def interrupted(real: Callable[..., Any]) -> Callable[..., Any]:
        def call(*arguments: Any, **others: Any) -> None:
            nonlocal calls
            real(*arguments, **others)
            calls += 1
            if calls == step + 1:
                raise KeyboardInterrupt

        return call

    before = content(tree)
    with monkeypatch.context() as patched:
        for name in ("replace", "unlink"):
            patched.setattr(Path, name, interrupted(getattr(Path, name)))
        with pytest.raises(KeyboardInterrupt):
            write_files(changes(tree))
    assert content(tree) == before


def test_a_link_in_a_circle_is_replaced(tree: Path) -> None:
    (tree / "circle").symlink_to("circle")
    write_files({tree / "circle": "new\n"})
    assert (tree / "circle").read_text() == "new\n"


def test_a_tree_has_one_writer(tree: Path) -> None:
    """A second run would take the temporary files of the first for old generated ones."""
    with only_writer(tree):
        second = only_writer(tree)
        with pytest.raises(WriteError, match="another run is writing to this folder"):
            second.__enter__()
        with only_writer(tree / "old"):
            pass
    with only_writer(tree):
        pass


@pytest.mark.parametrize("step", range(12))
@pytest.mark.parametrize(
    ("owner", "name"), [(Path, "replace"), (os, "fsync"), (Path, "unlink"), (os, "link")]
)
def test_a_step_that_fails_changes_nothing(
    tree: Path, monkeypatch: pytest.MonkeyPatch, owner: Any, name: str, step: int
) -> None:
    """Each call that is made fails in turn."""
    real: Callable[..., Any] = getattr(owner, name)
    calls = 0

    def failing(*arguments: Any, **others: Any) -> Any:
        nonlocal calls
        calls += 1
        if calls == step + 1:
            raise OSError(28, "No space left on device", str(arguments[0]))
        return real(*arguments, **others)

    monkeypatch.setattr(owner, name, failing)
    before = content(tree)
    try:
        write_files(changes(tree))
    except WriteError as error:
        assert str(error).endswith("No space left on device")  # noqa: PT017
        monkeypatch.undo()
        assert content(tree) == before
    else:
        monkeypatch.undo()
        assert (tree / "old" / "a").read_text() == "new a\n"
        assert not (tree / "old" / "c").exists()
