"""The module `visa_lint`: arrays in, arrays and findings out."""

import pathlib

import numpy as np
import pytest

import visa_lint
from visa_lint._running import _small_floats
from visa_lint.testing import assert_runs

KERNEL = pathlib.Path(__file__).parent / "plus_one.rs"
X = np.arange(512, dtype=np.float32).reshape(64, 8)


def test_outputs_are_arrays_by_position_and_name():
    result = visa_lint.run(KERNEL, "plus_one", x=X)
    np.testing.assert_array_equal(result.outputs[0], X + 1)
    np.testing.assert_array_equal(result.outputs["result"], X + 1)
    assert result.defined[0].dtype == np.bool_ and result.defined[0].all()
    assert result.findings == [] and result.is_defined
    with pytest.raises(KeyError):
        result.outputs["other"]


def test_missing_inputs_are_random_from_the_seed():
    first, again, other = (visa_lint.run(KERNEL, "plus_one", seed=seed).outputs[0] for seed in (1, 1, 2))
    np.testing.assert_array_equal(first, again)
    assert (first != other).any()


def test_a_finding_names_its_line():
    result = visa_lint.run(KERNEL, "copied", X)
    [finding] = result.findings
    assert finding.rule == "run_undefined" and finding.count == 3 * 512
    assert finding.first == {"X": 1, "S": 0, "K": 0}
    line = KERNEL.read_text().splitlines()[finding.origin.place.line - 1]
    assert "to_hbm" in line
    np.testing.assert_array_equal(result.defined[0][0], True)
    np.testing.assert_array_equal(result.defined[0][1:], False)


def test_assertions_fail_with_the_finding():
    assert_runs(KERNEL, "plus_one", {"x": X}, expect=X + 1)
    with pytest.raises(AssertionError, match="run_undefined"):
        assert_runs(KERNEL, "copied", {"x": X})
    with pytest.raises(AssertionError, match="Mismatched"):
        assert_runs(KERNEL, "plus_one", {"x": X}, expect=X)


def test_what_does_not_run_is_an_error():
    with pytest.raises(visa_lint.NotRun, match="64, 4"):
        visa_lint.run(KERNEL, "plus_one", X[:, :4])
    with pytest.raises(visa_lint.NotRun, match="float64"):
        visa_lint.run(KERNEL, "plus_one", X.astype(np.float64))
    with pytest.raises(visa_lint.NotRun, match="no_such"):
        visa_lint.run(KERNEL, "no_such", X)


def test_bf16_is_rounded_and_said():
    result = visa_lint.run(KERNEL, "turned", X)
    # 8 bits of mantissa: from 256 on every second number, and of two neighbours the one that is a multiple of 4.
    rounded = np.where((X < 256) | (X % 2 == 0), X, (X + 1) // 4 * 4)
    np.testing.assert_array_equal(result.numbers[0], rounded.T)
    assert any("bf16" in note for note in result.notes)


def test_the_fixture_gives_the_output(kernel):
    np.testing.assert_array_equal(kernel("plus_one.rs::plus_one")(X), X + 1)


def test_the_fixtures_failure_is_the_finding(kernel):
    with pytest.raises(pytest.fail.Exception, match="run_undefined.*\n.*it comes from"):
        kernel("plus_one.rs::copied")(X)


def test_codes_of_small_floats_are_numbers():
    # The largest, the smallest subnormal, and what is no number.
    eights = _small_floats(4, 3)
    assert eights[0x7E] == 448 and eights[1] == 2.0**-9 and np.isnan(eights[0x7F]) and eights[0x80] == 0
    eights = _small_floats(5, 2)
    assert eights[0x7B] == 57344 and eights[1] == 2.0**-16 and eights[0xFC] == -np.inf and np.isnan(eights[0x7D])
    np.testing.assert_array_equal(_small_floats(2, 1)[:8], [0, 0.5, 1, 1.5, 2, 3, 4, 6])
