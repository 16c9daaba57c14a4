"""Streams of the host runtime that start no work."""

from __future__ import annotations

from PyGPU._host import library


class Paused:
    """A stream that starts no work until resume() or the end of the with-block."""

    def __init__(self, stream: object) -> None:
        self._address: int | None = _address(stream)
        if code := library.pause(self._address):
            raise ValueError(
                f"pause(): {stream!r} is not a stream of the host runtime (code {code})"
            )

    def resume(self) -> None:
        """Let the stream go on; doing so twice is fine."""
        address, self._address = self._address, None
        if address is not None:
            library.resume(address)

    def __enter__(self) -> Paused:
        return self

    def __exit__(self, *_: object) -> None:
        self.resume()


def pause(stream: object = None) -> Paused:
    """Keep a stream (a handle, its number, None for the default stream) from starting queued work.

    So a test sees unfinished work without sleeping. A call that waits for the stream on the same
    thread (synchronising, freeing memory, copying to ordinary memory) never returns, as with a
    kernel that doesn't end: resume first. Raises ValueError if it isn't a stream.
    """
    return Paused(stream)


def _address(stream: object) -> int:
    if stream is None:
        return 0
    try:
        number = int(stream)  # type: ignore[call-overload]
    except (TypeError, ValueError):
        raise TypeError(
            f"pause(): parameter 'stream' must be a stream, not {type(stream).__name__}"
        ) from None
    return library.whole(number, library.LARGEST_WORD, "pause(): parameter 'stream'")
