"""What `progress=` of a copy calls: the user's callable, or a bar by rich."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any


def callback(progress: Any, call: str) -> Callable[[int, int, float], object]:
    """The callable for a `progress=` argument. TypeError; ImportError if a bar lacks rich."""
    if progress is True:
        return _Bar(call)
    if callable(progress):
        return progress  # type: ignore[no-any-return]
    raise TypeError(
        f"{call}: parameter 'progress' must be a callable (done, total, rate) or a bool, "
        f"not {type(progress).__name__}"
    )


class _Bar:
    """A bar on standard error. It appears only if the copy takes longer, and ends with the copy."""

    _task: Any = None

    def __init__(self, call: str) -> None:
        try:
            from rich import progress
            from rich.console import Console
        except ImportError:
            raise ImportError(
                f"{call}: progress=True shows a bar by rich: pip install rich", name="rich"
            ) from None
        self._bar = progress.Progress(
            progress.TextColumn("{task.description}"),
            progress.BarColumn(),
            progress.DownloadColumn(binary_units=True),
            progress.TransferSpeedColumn(),
            progress.TimeRemainingColumn(),
            console=Console(stderr=True),
        )
        self._call = call

    def __call__(self, done: int, total: int, rate: float) -> None:
        if self._task is None:
            if done == total:
                return  # it was over at once
            self._task = self._bar.add_task(self._call, total=total)
            self._bar.start()
        self._bar.update(self._task, completed=done)
        if done == total:
            self._bar.stop()

    def __del__(self) -> None:  # after a copy that was stopped
        if self._task is not None:
            self._bar.stop()
