"""Assertions about kernels, for any test runner."""

import os
from typing import Any, Dict, Optional, Union

from ._running import Result, run


def assert_runs(
    kernel: Union[str, "os.PathLike[str]"],
    function: Optional[str] = None,
    inputs: Optional[Dict[str, Any]] = None,
    *,
    expect: Any = None,
    rtol: float = 1e-7,
    atol: float = 0.0,
    **options: Any,
) -> Result:
    """Asserts that a kernel runs and that the device holds every element of its outputs; the message names the line at fault.

    `expect` is the expected array of the only output, or arrays by the names of outputs. Numbers are compared as
    `numpy.testing.assert_allclose` compares them. `options` are those of `visa_lint.run`.
    """
    import numpy as np

    result = run(kernel, function, inputs=inputs, **options)
    if result.findings:
        __tracebackhide__ = True
        raise AssertionError("\n".join(str(finding) for finding in result.findings))
    if expect is None:
        return result
    if not isinstance(expect, dict):
        if len(result.outputs) != 1:
            raise AssertionError(f"there are several outputs: expect arrays by name, of {', '.join(result.names)}")
        expect = {result.names[0]: expect}
    for name, array in expect.items():
        wanted = np.asarray(array)
        if wanted.dtype.kind not in "iufb":
            wanted = wanted.astype(np.float32)
        np.testing.assert_allclose(
            result.numbers[name],
            wanted,
            rtol=rtol,
            atol=atol,
            err_msg=f"`{name}` of `{result.function}`",
        )
    return result
