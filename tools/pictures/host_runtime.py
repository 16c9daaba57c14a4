"""The place of the host runtime: what calls it, and what it does on the CPU."""

from __future__ import annotations

from tools.pictures.svg import Picture


def host_runtime() -> Picture:
    """The picture for docs/host-runtime.md and the page on tests without a GPU."""
    picture = Picture(736, 330, "The host runtime's place")
    picture.labelled((14, 14), (226, 50), ["PyGPU", "PYGPU_BACKEND=host, or no GPU"])
    others = ["Numba, Triton, cuda.core", "pygpu host run -- python …"]
    picture.labelled((255, 14), (226, 50), others)
    picture.labelled((496, 14), (226, 50), ["C and C++", "pygpu host run -- ./program"])
    for middle in (127, 368, 609):
        picture.arrow((middle, 65), (middle, 83))
    names = "the names of libcudart, libcuda, libamdhip64 and NVML"
    picture.labelled((14, 84), (708, 34), [names], "other_soft", "other")
    picture.box((14, 132), (708, 138), "own_soft", "own")
    picture.text((28, 153), "libpygpu_host.so", bold=True)
    picture.text((28, 170), "PyGPU's own implementation, on the CPU", "soft", 12)
    parts = [
        ["memory", "each access checked"],
        ["streams, graphs", "queues and threads"],
        ["kernels", "PTX, a warp at a time"],
        ["faults", "codes of a card, reports"],
    ]
    for number, lines in enumerate(parts):
        picture.labelled((28 + 172 * number, 184), (162, 52), lines, "page", "own")
    picture.text((28, 258), "no cubins and no AMD code objects: they are machine code", "soft", 12)
    picture.text((708, 258), "tests compare the answers with an H200's", "soft", 12, "end")
    picture.arrow((368, 271), (368, 289))
    picture.text((368, 310), "the processors of any Linux machine", anchor="middle")
    return picture
