"""The fixture `kernel` of pytest: `kernel("kernel.rs::softmax")(x)` gives the output, or fails with the finding."""

from typing import Any, Callable

import pytest


@pytest.fixture
def kernel(request: pytest.FixtureRequest) -> Callable[..., Callable[..., Any]]:
    """Gives a function of a kernel's file as a function of arrays. Paths are relative to the test's file, where that has them."""

    def chosen(target: str, **options: Any) -> Callable[..., Any]:
        beside = request.path.parent / target
        file = str(beside).split("::", maxsplit=1)[0]
        path = str(beside) if (beside.parent / file).exists() else target

        def called(*arrays: Any, **named: Any) -> Any:
            from ._running import run

            __tracebackhide__ = True
            result = run(path, None, *arrays, **options, **named)
            if result.findings:
                pytest.fail("\n".join(str(finding) for finding in result.findings), pytrace=False)
            outputs = result.outputs
            return outputs[0] if len(outputs) == 1 else tuple(outputs)

        return called

    return chosen
