"""The best cut point is one answer: of words not learned from, for the command line and the classifier alike."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import cutpoint as cp
from cutpoint.assess.evaluation import chosen_cut_point
from cutpoint.cli.app import _exit_code

WORDS = [str(word) for word in cp.random_words("ab", 60, (1, 5), rng=1)]
ODD = [word.count("a") % 2 == 1 for word in WORDS]


def mean_score(scores: Any, accepted: Any, weights: Any) -> float:
    """A choice that any other score or weight would change."""
    return float(np.average(scores + 0.01 * accepted, weights=weights)) / 2


def test_the_command_line_and_the_classifier_choose_alike(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cutpoint.assess.evaluation.best_cut_point", mean_score)
    data, model = tmp_path / "words.tsv", tmp_path / "model.json"
    data.write_text("".join(f"{int(odd)}\t{' '.join(word)}\n" for word, odd in zip(WORDS, ODD, strict=True)))
    assert _exit_code(["fit", str(data), "-n", "2", "-o", str(model), "--holdout", "0"]) == 0
    classifier = cp.AcceptorClassifier(2).fit(WORDS, ODD)
    assert cp.read_model(model).cut_point == classifier.cut_point_ != 0.5


def test_each_fold_is_scored_by_a_winner_that_did_not_see_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("cutpoint.assess.evaluation.best_cut_point", mean_score)
    sample = cp.Sample(WORDS, accepted=ODD)
    fit = cp.learn(sample, 2, folds=3)
    parts = [part for _, part in fit.held_out]
    assert cp.Sample.concatenate(parts) == sample
    scores = np.concatenate([acceptor.acceptances(part) for acceptor, part in fit.held_out])
    accepted = np.concatenate([part.accepted for part in parts])
    expected = mean_score(scores, accepted, np.concatenate([part.counts for part in parts]))
    assert chosen_cut_point(fit).cut_point == pytest.approx(expected, rel=1e-12)


def test_where_nothing_can_be_chosen_the_reason_is_said() -> None:
    few = cp.Sample(["a", "b", "ab", "ba"], accepted=[True, False, True, False])
    fit = cp.learn(few, 2, folds=2)
    assert chosen_cut_point(fit) == (0.5, "fewer than 20 cases of one outcome are too few to choose another")
