"""A subinterpreter is refused in words, and does not hang."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize("first", ["", "import PyGPU; PyGPU.cudaGetDeviceCount()"])
def test_import_is_refused(python, first):
    """In each of several, also where the main interpreter uses PyGPU already, which goes on."""
    code = f"""
        try:
            import _interpreters as interpreters
        except ImportError:
            import _xxsubinterpreters as interpreters
        {first}
        script = (
            "try:\\n"
            "    import PyGPU\\n"
            "except ImportError as error:\\n"
            "    print('refused:', error, flush=True)\\n"
        )
        for one in [interpreters.create() for _ in range(2)]:
            interpreters.run_string(one, script)
        import PyGPU
        print(PyGPU.cudaGetDeviceCount(), flush=True)
    """
    refusal = "refused: PyGPU can't be used in a subinterpreter: import it in the main one"
    printed = python(code, PYGPU_BACKEND="host").stdout.splitlines()
    assert printed == [refusal, refusal, "(1, <cudaError: code=0>)"]
