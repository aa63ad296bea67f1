"""Executes kernels from their sources, and says which results the device is not sure to hold.

>>> import visa_lint
>>> result = visa_lint.run("kernel.rs", "softmax", x=x)
>>> result.outputs[0], result.defined[0], result.findings

The program `visa-lint` does the work. Numpy is needed by this module alone.
"""

from ._running import Arrays, Finding, NotRun, Origin, Place, Result, Station, run

__all__ = ["Arrays", "Finding", "NotRun", "Origin", "Place", "Result", "Station", "run"]
