"""A regression on n-grams and log-odds: better than either on data that needs both; what it cannot do."""

from typing import Any

import numpy as np
import pytest

import cutpoint as cp

pytest.importorskip("sklearn")
pytestmark = pytest.mark.skipif(cp.kernel_info()["kernels"] == "reference", reason="thousands of E-steps")


def labelled(n: int, seed: int) -> tuple[list[str], list[bool]]:
    """An even number of a's or the ending cd, with noise: a state for the first, a 2-gram for the second."""
    rng = np.random.default_rng(seed)
    words = ["".join(rng.choice(list("abcd"), rng.integers(2, 10))) for _ in range(n)]
    return words, [bool((w.count("a") % 2 == 0 or w.endswith("cd")) != (rng.random() < 0.05)) for w in words]


def loss(model: Any, words: list[str], labels: list[bool]) -> float:
    p = model.predict_proba(words)[np.arange(len(words)), np.array(labels, dtype=int)]
    return -float(np.log(p).mean())


@pytest.fixture(scope="module")
def stacked() -> Any:
    return cp.AcceptorClassifier(2, folds=3, ngrams=2, unknown="rare", direction="backward").fit(*labelled(500, 1))


def test_the_regression_has_both_kinds_of_evidence(stacked: Any) -> None:
    words, labels = labelled(500, 2)
    alone = cp.AcceptorClassifier(2, folds=3).fit(*labelled(500, 1))
    assert loss(stacked, words, labels) < 0.95 * loss(alone, words, labels)
    table = stacked.predict_proba(words)
    np.testing.assert_allclose(table.sum(axis=1), 1.0, rtol=1e-12)
    np.testing.assert_allclose(stacked.predict_log_proba(words), np.log(table), rtol=1e-12)
    assert ((stacked.decision_function(words) > 0) == stacked.predict(words)).all()
    assert stacked.predict_proba(["xyz"]).shape == (1, 2)  # symbols that nobody has seen


def test_same_seed_same_bytes(stacked: Any) -> None:
    again = cp.AcceptorClassifier(2, folds=3, ngrams=2, unknown="rare", direction="backward", threads=1)
    words = labelled(50, 3)[0]
    assert again.fit(*labelled(500, 1)).predict_proba(words).tobytes() == stacked.predict_proba(words).tobytes()


def test_what_it_cannot_do(stacked: Any) -> None:
    with pytest.raises(cp.CutpointError, match="a model has no n-grams"):
        stacked.to_model()
    with pytest.raises(cp.CutpointError, match="Leave ngrams out"):
        stacked.partial_fit(["a"], [True])
    with pytest.raises(AttributeError, match="words are read backwards"):
        _ = stacked.acceptor_
    words = labelled(60, 1)[0]
    with pytest.raises(cp.CutpointError, match="ngrams is for two classes; y has 3"):
        cp.AcceptorClassifier(3, ngrams=2).fit(words, [k % 3 for k in range(60)])
    with pytest.raises(cp.CutpointError, match="direction is for kind='acceptor'"):
        cp.AcceptorClassifier(3, kind="auto", direction="auto").fit(*labelled(60, 1))
    with pytest.raises(cp.CutpointError, match="ngrams must be"):
        cp.AcceptorClassifier(3, ngrams=99).fit(*labelled(60, 1))


def test_backwards_the_classifier_reads_words_as_they_are() -> None:
    """Its batches are reversed as its words are; a model that reads forwards cannot be made of it."""
    words, labels = labelled(200, 4)
    model = cp.AcceptorClassifier(2, folds=2, direction="backward").fit(words, labels)
    np.testing.assert_allclose(
        model.predict_proba(words)[:, 1], model.fit_.automaton.values(words), rtol=1e-9, atol=1e-12
    )
    model.partial_fit(words, labels)
    with pytest.raises(cp.CutpointError, match="reads words forwards"):
        model.to_model()
