"""What variables of modules begin with, and which declarations are refused.

All is as by ptxas 13.0, except that it lets an address in 32 bits overwrite what follows.
PTX ISA, "Initializers".
"""

from __future__ import annotations

import numpy as np
import pytest

import PyGPU
from tests.own_interpreter import own_interpreter

HEAD = """.version 8.0\n.target sm_80\n.address_size 64
.global .align 16 .b8 foo[4] = {9, 8, 7, 6};
.const .align 4 .b8 fixed[4] = {1, 2, 3, 4};
.func f() { ret; }
.visible .entry k() { ret; }
"""
# The declaration of x, and its bytes.
VALUES = {
    ".global .u8 x[4] = {1, 2, 3, 4};": "01020304",
    ".global .u8 x[4] = {1, 2};": "01020000",
    ".global .u8 x[4] = {};": "00000000",
    ".global .u8 x[] = {1, 2, 3};": "010203",
    ".global .u8 x[2][2] = {{1}, {2, 3}};": "01020300",
    ".global .u8 x[2][3][2] = {{{1}, {2, 3}}, {{4, 5}}};": "010203040500000000000000",
    ".global .u8 x[][2] = {{1}, {2, 3}, {4}};": "010203040000",
    ".global .v4 .f32 x = {1.0, 2.0, 3.0, 4.0};": "0000803f000000400000404000008040",
    ".global .v2 .u16 x[2] = {{1, 2}, {3, 4}};": "0100020003000400",
    ".const .u32 x = 7;": "07000000",
    ".global .u32 y, x = 5;": "05000000",
    ".global .u32 y[2] = {1, 2}, z, x = 3;": "03000000",
    ".global .attribute(.managed) .align 8 .u64 x = 5;": "0500000000000000",
    # External ones.
    ".extern .global .align 4 .b8 x[8];": "0000000000000000",
    ".extern .global .u32 x; .visible .global .u32 x = 5;": "05000000",
    # Integers, of which the low bits count.
    ".global .u8 x = 256;": "00",
    ".global .u8 x = -1;": "ff",
    ".global .s8 x = -129;": "7f",
    ".global .u16 x = 70000;": "7011",
    ".global .u32 x = 0x1ffffffff;": "ffffffff",
    ".global .b8 x[2] = {300, -200};": "2c38",
    ".global .u32 x = 3+4*2;": "0b000000",
    ".global .u32 x = (3+4)*2;": "0e000000",
    ".global .s32 x = -(5);": "fbffffff",
    ".global .u32 x = !5;": "00000000",
    ".global .u32 x = ~0U;": "ffffffff",
    # Floats.
    ".global .f32 x = 1.5;": "0000c03f",
    ".global .f32 x = - 1.5;": "0000c0bf",
    ".global .f32 x = 1.5e-3;": "a69bc43a",
    ".global .f32 x = 0f3FC00000;": "0000c03f",
    ".global .f32 x = 0d3FF8000000000000;": "0000c03f",
    ".global .f64 x = -0d3FF8000000000000;": "000000000000f8bf",
    ".global .f64 x = 0f3FC00000;": "0000c03f00000000",
    ".global .b32 x = 1.5;": "0000c03f",
    ".global .b64 x = 1.5;": "000000000000f83f",
    ".global .b16 x = 0x3c00;": "003c",
    # Bytes of numbers.
    ".global .u8 x[2] = {0xFF(1000 + 546), 0xFF00(131187)};": "0a00",
    ".global .u8 x[2] = {255(1000), 1};": "e801",
    ".global .u16 x[2] = {0xFF(1000), 1};": "e8000100",
    ".global .b8 x[2] = {0xFF00(-1), 1};": "ff01",
}
# The declaration of x, and words: an address of each is a name and an offset.
ADDRESSES = {
    ".global .u64 x = foo;": [("foo", 0)],
    ".global .u64 x = foo+4*2;": [("foo", 8)],
    ".global .u64 x = foo+(1<<2);": [("foo", 4)],
    ".global .u64 x[3] = {foo, 7, generic(foo)+8};": [("foo", 0), 7, ("foo", 8)],
    ".global .u64 x = generic(fixed)+1;": [("fixed", 1)],
    ".global .u64 x[2][2] = {{5}, {generic(fixed)}};": [5, ("fixed", 0), 0, 0],
    ".global .u8 x[8] = {"
    + ", ".join(f"0xFF{'00' * k}({'generic(foo)+2' if k % 2 else 'foo+2'})" for k in range(8))
    + "};": [("foo", 2)],
}
REFUSED = {
    ".global .u8 x[4] = {1, 2, 3, 4, 5};": "too many initial values",
    ".global .u8 x[2][2] = {{1, 2, 3}};": "too many initial values",
    ".global .u8 x[2][2] = {{1, 2}, {3, 4}, {5, 6}};": "too many initial values",
    ".global .u8 x[2][2] = {1, {2, 3}};": "'{' is expected",
    ".global .u8 x[2][2] = {1, 2, 3};": "'{' is expected",
    ".global .u8 x[4] = {1, 2,};": "not '}'",
    ".global .u8 x[] = {};": "size of x isn't known",
    ".global .u32 x[];": "size of x isn't known",
    ".global .u32 x[2][];": "first dimension",
    ".global .u32 x = {1};": "not '{'",
    ".global .u32 x[2] = 1;": "'{' is expected",
    ".global .v2 .u16 x = 1;": "'{' is expected",
    ".global .u32 x = ;": "not ';'",
    ".global .u32 x = 1 2;": "';' is expected",
    '.global .u8 x[3] = "ab";': "'{' is expected",
    '.global .u8 x[3] = {"ab"};': 'not \'"ab"\'',
    ".global .f32 x = 1;": "doesn't fit its type",
    ".global .u32 x = 1.5;": "doesn't fit its type",
    ".global .u32 x = 0f3FC00000;": "doesn't fit its type",
    ".global .f16 x = 1.5;": "doesn't fit its type",
    ".global .b8 x = 1.5;": "doesn't fit its type",
    ".global .f64 x = foo;": "fits its type, not 'foo'",
    ".global .u16 x = foo;": "fits its type, not 'foo'",
    ".global .u32 x[2] = {foo+4, 5};": "fits its type, not 'foo'",  # a card writes 8 bytes
    ".global .u64 x = -foo;": "fits its type, not 'foo'",
    ".global .u64 x = foo-4;": "';' is expected",
    ".global .u64 x = 4+foo;": "number",
    ".global .u64 x = generic(foo+4);": r"'\)' is expected",
    ".global .u64 x = foo+1.5;": "mix integers and floats",
    ".global .u64 x = nosuch;": "nosuch has no address",
    ".global .u64 x = k;": "k has no address",
    ".global .u8 x[2] = {0xFF0(1000), 1};": "one byte",
    ".global .u8 x[2] = {0xFF(foo)+1, 0};": "is expected",
    ".shared .u32 x = 7;": "';' is expected",
    ".extern .global .u32 x = 7;": "external",
    ".extern .global .u32 x[];": "size of x isn't known",
    ".global .u32 x = 5": "';' is expected",
    ".global .u8 x" + "[1]" * 65 + ";": "dimensions",
    ".global .u8 x[]" + "[4294967295]" * 2 + " = {{{1}}};": "too large",
}  # fmt: skip


def module_of(declaration: str) -> PyGPU.Module:
    return PyGPU.Module((HEAD + declaration).encode())


def bytes_of(module: PyGPU.Module, name: str) -> bytes:
    address, size = module.get_global(name)
    back = np.zeros(size, np.uint8)
    PyGPU.checked.cudaMemcpy(back, address, size, PyGPU.cudaMemcpyDeviceToHost)
    return back.tobytes()


@own_interpreter("on_devices")
def test_variables_begin_with_their_values():
    for declaration, due in VALUES.items():
        module = module_of(declaration)
        assert bytes_of(module, "x").hex() == due, declaration
        assert bytes_of(module, "foo") == bytes([9, 8, 7, 6])


@own_interpreter("on_devices")
def test_variables_hold_addresses():
    for declaration, words in ADDRESSES.items():
        module = module_of(declaration)
        due = b""
        for word in words:
            name, offset = word if isinstance(word, tuple) else (None, word)
            address = (int(module.get_global(name)[0]) if name else 0) + offset
            due += address.to_bytes(8, "little")
        assert bytes_of(module, "x") == due, declaration
    assert any(bytes_of(module_of(".global .u64 x = f;"), "x"))


@own_interpreter("on_host")
def test_values_that_do_not_fit_are_refused():
    for declaration, said in REFUSED.items():
        with pytest.raises(PyGPU.GPUError, match=rf"218.*line \d+: .*{said}"):
            module_of(declaration)


@own_interpreter("on_host")
def test_names_share_a_type_in_functions():
    module = module_of(""".visible .entry copies(.param .u64 p) {
        .reg .u64 %p; .reg .u32 %r; .shared .align 4 .b32 a[2], b; .local .b32 c, d;
        ld.param.u64 %p, [p]; st.shared.u32 [a+4], 5; st.shared.u32 [b], 6;
        st.local.u32 [c], 7; st.local.u32 [d], 8;
        ld.shared.u32 %r, [a+4]; st.u32 [%p], %r; ld.local.u32 %r, [c];
        st.u32 [%p+4], %r; ret; }""")
    out = PyGPU.to_gpu(np.zeros(2, np.uint32))
    module["copies"](out, grid=1, block=1)
    assert out.get().tolist() == [5, 7]


# An H200's answers, whatever the kernel uses.
CONSTANTS = {
    "": 0,
    ".const .align 4 .b8 t[80];": 80,
    ".const .b8 e[5]; .const .b8 i[5]; .const .b8 j[5];": 15,
    ".const .align 4 .b8 t[80]; .const .b8 e[5]; .const .f64 d[3];": 112,
    ".const .b8 e[5]; .global .u32 other[9];": 5,
}


@pytest.mark.parametrize("declared", CONSTANTS)
@own_interpreter("on_devices")
def test_a_kernel_has_the_constants_of_its_module(declared):
    """CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES is that of all constants, with their alignments."""
    text = HEAD.replace(".const .align 4 .b8 fixed[4] = {1, 2, 3, 4};", declared)
    kernel = PyGPU.Module(text.encode())["k"]
    assert kernel.attribute("CONST_SIZE_BYTES") == CONSTANTS[declared]
