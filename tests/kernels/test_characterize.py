"""PyGPU.characterize: PyCUDA's questions about a platform and its types."""

from __future__ import annotations

import pytest


def test_sizes_are_the_devices(device):
    from PyGPU import characterize

    assert characterize.sizeof("double") == 8
    assert characterize.sizeof("pair", "struct pair { char a; double b; };") == 16
    assert characterize.platform_bits() == 64
    assert characterize.has_double_support()
    assert characterize.has_stack()
    with pytest.raises(device.CompileError):
        characterize.sizeof("nothing_of_this_name")
