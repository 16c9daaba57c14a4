"""JPEG images of one colour, made without a codec: each component is a single DC coefficient."""

from __future__ import annotations

import struct


def _segment(marker: int, content: bytes) -> bytes:
    return struct.pack(">BBH", 0xFF, marker, len(content) + 2) + content


def _scan(blocks: int, levels: tuple[int, ...]) -> bytes:
    """The first block of a component has its level, each later one a difference of 0."""
    bits = ""
    for block in range(blocks):
        for level in levels:
            difference = 8 * (level - 128) if block == 0 else 0
            size = abs(difference).bit_length()
            number = difference if difference > 0 else difference + (1 << size) - 1
            bits += f"{size:04b}" + (f"{number:0{size}b}" if size else "") + "0"  # no AC
    bits += "1" * (-len(bits) % 8)
    content = int(bits, 2).to_bytes(len(bits) // 8, "big")
    return content.replace(b"\xff", b"\xff\x00")


def flat(width: int, height: int, levels: tuple[int, ...]) -> bytes:
    """A baseline JPEG, 4:4:4: `levels` are those of Y, or of Y, Cb and Cr."""
    components = range(1, len(levels) + 1)
    frame = struct.pack(">BHHB", 8, height, width, len(levels))
    frame += b"".join(bytes((one, 0x11, 0)) for one in components)
    begin = bytes((len(levels),)) + b"".join(bytes((one, 0)) for one in components)
    # Codes of four bits are the sizes of DC differences, 0 to 11; AC has the end of a block alone.
    dc = bytes((0, *(0, 0, 0, 12), *[0] * 12, *range(12)))
    ac = bytes((0x10, 1, *[0] * 15, 0))
    return b"".join(
        (
            b"\xff\xd8",
            _segment(0xE0, b"JFIF\0" + bytes((1, 1, 0, 0, 1, 0, 1, 0, 0))),
            _segment(0xDB, bytes((0, *[1] * 64))),  # quantized by 1
            _segment(0xC0, frame),
            _segment(0xC4, dc),
            _segment(0xC4, ac),
            _segment(0xDA, begin + bytes((0, 63, 0))),
            _scan((width + 7) // 8 * ((height + 7) // 8), levels),
            b"\xff\xd9",
        )
    )
