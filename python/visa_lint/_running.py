"""`run`: numpy arrays in, numpy arrays and findings out."""

import json
import os
import subprocess
import tempfile
from dataclasses import dataclass, field
from typing import Any, Dict, List, Optional, Tuple, Union

from ._program import program


class NotRun(RuntimeError):
    """A kernel that was not executed: wrong inputs, an operation that is not followed, too little memory."""


@dataclass(frozen=True)
class Place:
    """A place in a file; lines and columns from 1."""

    file: str
    line: int
    column: int

    def __str__(self) -> str:
        return f"{self.file}:{self.line}:{self.column}"


@dataclass(frozen=True)
class Origin:
    """Where a wrong element comes from."""

    kind: str
    what: str
    place: Place


@dataclass(frozen=True)
class Station:
    """An operation that carried it on."""

    what: str
    place: Place


@dataclass(frozen=True)
class Finding:
    """One origin of wrong elements in one output."""

    rule: str
    message: str
    help: Optional[str]
    output: str
    count: int
    first: Dict[str, int]
    origin: Optional[Origin]
    through: List[Station] = field(default_factory=list)

    def __str__(self) -> str:
        lines = [f"{self.rule}: {self.message}"]
        if self.origin is not None:
            lines.append(f"  it comes from {self.origin.place}: {self.origin.what}")
        lines.extend(f"  through {station.place}: {station.what}" for station in self.through)
        if self.help:
            lines.append(f"  help: {self.help}")
        return "\n".join(lines)


class Arrays(list):
    """Arrays by position, and by the name of their output."""

    def __init__(self, arrays: List[Any], names: List[str]):
        super().__init__(arrays)
        self.names = names

    def __getitem__(self, key: Any) -> Any:
        if isinstance(key, str):
            if key not in self.names:
                raise KeyError(f"there is no output {key!r}; there are {', '.join(self.names)}")
            return super().__getitem__(self.names.index(key))
        return super().__getitem__(key)


@dataclass(frozen=True)
class Result:
    """What came of a run.

    `outputs` are of numpy's types where it has them. `bf16` is of `ml_dtypes` where that is installed, else its bits as `uint16`; small
    floats likewise, else their codes as `uint8`. `numbers` are the same as numbers, whatever is installed.
    """

    function: str
    release: str
    outputs: Arrays
    numbers: Arrays
    defined: Arrays
    findings: List[Finding]
    notes: List[str]
    report: Dict[str, Any]

    @property
    def names(self) -> List[str]:
        """The names of the outputs."""
        return self.outputs.names

    @property
    def is_defined(self) -> bool:
        """Whether the device is sure to hold every element of every output."""
        return not any(finding.rule != "run_unequal" for finding in self.findings)


#: The types of `ml_dtypes` by the kernel's type.
_ML_DTYPES = {
    "bf16": "bfloat16",
    "f8e4m3": "float8_e4m3fn",
    "f8e5m2": "float8_e5m2",
    "f4e2m1": "float4_e2m1fn",
}


def _typed(array: Any, dtype: str) -> Any:
    """The array in the type of `ml_dtypes`, where that is installed."""
    name = _ML_DTYPES.get(dtype)
    if name is None:
        return array
    try:
        import ml_dtypes
    except ImportError:
        return array
    kind = getattr(ml_dtypes, name, None)
    return array if kind is None else array.view(kind)


def _small_floats(exponent: int, mantissa: int) -> Any:
    """The value of each code of a float with a sign, so many exponent and so many mantissa bits."""
    import numpy as np

    codes = np.arange(1 << (1 + exponent + mantissa))
    power = (codes >> mantissa) & ((1 << exponent) - 1)
    digits = codes & ((1 << mantissa) - 1)
    bias = (1 << (exponent - 1)) - 1
    size = np.where(
        power == 0,
        np.ldexp(digits.astype(np.float64), 1 - bias - mantissa),
        np.ldexp(1.0 + digits / (1 << mantissa), power - bias),
    )
    if (exponent, mantissa) == (4, 3):
        size = np.where(codes & 0x7F == 0x7F, np.nan, size)
    if (exponent, mantissa) == (5, 2):
        size = np.where(power == 31, np.where(digits == 0, np.inf, np.nan), size)
    return np.where(codes >> (exponent + mantissa) == 1, -size, size).astype(np.float32)


def _numbers(array: Any, dtype: str) -> Any:
    """The array as numbers."""
    import numpy as np

    if dtype == "bf16":
        return (array.view(np.uint16).astype(np.uint32) << 16).view(np.float32)
    if dtype in ("f8e4m3", "f8e5m2", "f4e2m1"):
        exponent, mantissa = int(dtype[-3]), int(dtype[-1])
        return _small_floats(exponent, mantissa)[array.view(np.uint8)]
    return array


def _place(span: Dict[str, Any]) -> Place:
    start = span["range"]["start"]
    return Place(span["file"], start["line"], start["column"])


def _finding(found: Dict[str, Any]) -> Finding:
    origin = found["origin"]
    return Finding(
        rule=found["rule"],
        message=found["message"],
        help=found["help"],
        output=found["output"],
        count=found["count"],
        first={place["axis"]: place["at"] for place in found["first"]},
        origin=origin and Origin(origin["kind"], origin["what"], _place(origin["span"])),
        through=[Station(station["what"], _place(station["span"])) for station in found["through"]],
    )


def _argument(value: Any, path: str) -> str:
    """What `--input` is given for a value: a number, or a file that is written."""
    import numpy as np

    if isinstance(value, (bool, np.bool_)):
        return "true" if value else "false"
    if isinstance(value, (int, np.integer)):
        return str(int(value))
    if isinstance(value, (str, os.PathLike)):
        return os.fspath(value)
    np.save(path, np.asarray(value), allow_pickle=False)
    return path


def _options(options: Dict[str, Any]) -> List[str]:
    """Options of the command line, by the names that they have there."""
    words: List[str] = []
    for name, value in options.items():
        if value is None or value is False:
            continue
        words.append("--" + name.replace("_", "-"))
        if value is not True:
            words.append(str(value))
    return words


def _span_of(first_and_last: Optional[Tuple[int, int]]) -> Optional[str]:
    return None if first_and_last is None else f"{first_and_last[0]}..{first_and_last[1]}"


def run(
    kernel: Union[str, "os.PathLike[str]"],
    function: Optional[str] = None,
    /,
    *arrays: Any,
    inputs: Optional[Dict[str, Any]] = None,
    seed: int = 0,
    index_range: Optional[Tuple[int, int]] = None,
    release: Optional[str] = None,
    layout: str = "value",
    padding: str = "undefined",
    poison: str = "mask",
    max_memory: Optional[str] = None,
    against: Optional[str] = None,
    rtol: Optional[float] = None,
    atol: Optional[float] = None,
    dialect: Optional[str] = None,
    **named: Any,
) -> Result:
    """Executes a function of a kernel's file.

    Arrays are for the parameters without the device, by position or by name; `inputs` holds those whose names are no keywords, as
    `params.q`. Numbers are scalars of run time. What is not given is random from the seed. A list of indices has to be given, or its range
    as `index_range`, both ends included.

    Raises `NotRun` where the kernel was not executed. What is wrong with its results is in `findings`.
    """
    import numpy as np

    target = os.fspath(kernel) if function is None else f"{os.fspath(kernel)}::{function}"
    with tempfile.TemporaryDirectory(prefix="visa-lint-") as folder:
        words = [program(), "run", target, "--json", "--quiet", "--outputs", os.path.join(folder, "outputs")]
        for number, value in enumerate(arrays):
            words += ["--input", _argument(value, os.path.join(folder, f"{number}.npy"))]
        by_name = {**(inputs or {}), **named}
        for number, (name, value) in enumerate(by_name.items()):
            path = os.path.join(folder, f"named{number}.npy")
            words += ["--input", f"{name}={_argument(value, path)}"]
        words += _options(
            {
                "seed": seed,
                "release": release,
                "layout": layout,
                "padding": padding,
                "poison": poison,
                "max_memory": max_memory,
                "against": against,
                "rtol": rtol,
                "atol": atol,
                "dialect": dialect,
            }
        )
        if index_range is not None:
            words.append(f"--index-range={_span_of(index_range)}")
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
        said = done.stderr.decode("utf-8", "replace").strip()
        if done.returncode not in (0, 1):
            raise NotRun(said.replace("error: ", "") or f"visa-lint ended with {done.returncode}")
        report = json.loads(done.stdout)
        outputs, numbers, defined, names = [], [], [], []
        for output in report["outputs"]:
            array = np.load(output["file"], allow_pickle=False)
            names.append(output["name"])
            numbers.append(_numbers(array, output["dtype"]))
            outputs.append(_typed(array, output["dtype"]))
            defined.append(np.load(output["defined"], allow_pickle=False))
    return Result(
        function=report["function"],
        release=report["release"],
        outputs=Arrays(outputs, names),
        numbers=Arrays(numbers, names),
        defined=Arrays(defined, names),
        findings=[_finding(found) for found in report["findings"]],
        notes=report["notes"],
        report=report,
    )
