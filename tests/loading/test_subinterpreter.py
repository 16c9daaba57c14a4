"""A subinterpreter is refused in words, and does not hang."""

from __future__ import annotations


def test_import_is_refused(python):
    code = """
        try:
            import _interpreters as interpreters
        except ImportError:
            import _xxsubinterpreters as interpreters
        script = (
            "try:\\n"
            "    import PyGPU\\n"
            "except ImportError as error:\\n"
            "    print('refused:', error, flush=True)\\n"
        )
        interpreters.run_string(interpreters.create(), script)
    """
    assert "refused: PyGPU can't be used in a subinterpreter" in python(code).stdout
