"""Many threads on the same values give the bits of one; what holds in a sub-interpreter."""

import os
import subprocess
import sys
import threading
from collections.abc import Callable
from typing import Any

import pytest

import cutpoint as cp

THREADS = 8


def fresh() -> tuple[cp.Acceptor, cp.Generator, cp.Sample]:
    """Values of whose trees and tables nothing is made yet."""
    acceptor = cp.random_acceptor(4, "ab", rng=1)
    inputs = cp.Generator(2, "ab", {"a": [[0.25, 0.25], [0.5, 0.0]], "b": [[0.25, 0.0], [0.0, 0.25]]}, 0, [0.25, 0.25])
    words = cp.random_words("ab", 2000, (0, 30), rng=2)
    return acceptor, inputs, cp.simulate(acceptor, words, rng=3)


def questions(acceptor: cp.Acceptor, inputs: cp.Generator, sample: cp.Sample) -> list[Callable[[], Any]]:
    """Scores, E-step, tables, forecast and language, whose answers are bytes or plain values."""
    language = cp.Language(acceptor, 0.5)

    def e_step() -> bytes:
        counts = cp.expected_counts(acceptor, sample)
        return counts.transitions.tobytes() + counts.initial.tobytes()

    return [
        lambda: acceptor.acceptances(sample).tobytes(),
        lambda: cp.em.log_likelihoods(acceptor, sample).tobytes(),
        e_step,
        lambda: [acceptor.acceptance(word) for word in ("", "abba", "b" * 500)],
        lambda: acceptor.forward("abba" * 50).tobytes(),
        lambda: acceptor.forward("ba" * 100).tobytes(),
        lambda: repr(cp.forecast(acceptor, "ab", inputs)),
        lambda: [word in language for word in ("", "a", "ab", "bba")],
        lambda: (repr(sample), repr(acceptor)),
    ]


def test_many_threads_on_the_same_values_give_the_bits_of_one() -> None:
    """Each thread begins with another question, so that different ones meet."""
    expected = [ask() for ask in questions(*fresh())]
    for _ in range(3):
        asked, barrier = questions(*fresh()), threading.Barrier(THREADS)
        found: list[dict[int, Any]] = [{} for _ in range(THREADS)]

        def run(k: int, asked: Any = asked, barrier: threading.Barrier = barrier, found: Any = found) -> None:
            barrier.wait()
            for q in range(3 * len(asked)):
                at = (k + q) % len(asked)
                if found[k].setdefault(at, answer := asked[at]()) != answer:
                    found[k][at] = "another answer than the first time"

        threads = [threading.Thread(target=run, args=(k,)) for k in range(THREADS)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert [[answers[at] for at in range(len(expected))] for answers in found] == [expected] * THREADS


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="NumPy refuses to be imported in a sub-interpreter since 3.12")
def test_a_sub_interpreter_gets_the_reference_kernels() -> None:
    """The compiled kernels belong to the main interpreter, and say so."""
    inside = """if True:
        import warnings
        import cutpoint as cp
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            print(cp.p_adic(2).acceptance("01"), cp.kernel_info()["kernels"])
        print([str(w.message) for w in caught if w.category is RuntimeWarning], flush=True)
    """
    code = f"import _xxsubinterpreters as each; each.run_string(each.create(), {inside!r})"
    environment = {name: value for name, value in os.environ.items() if name != "CUTPOINT_KERNELS"}
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", code],
        check=True,
        capture_output=True,
        text=True,
        timeout=120,
        env=environment,
    )
    assert done.stdout.startswith("0.5 reference\n")
    assert "they run in the main interpreter of a process, not in a sub-interpreter" in done.stdout
