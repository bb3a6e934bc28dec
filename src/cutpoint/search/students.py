"""Students: one acceptor that has learned what several know, from their probabilities of made-up words."""

from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np

from cutpoint.data import Sample
from cutpoint.data.marks import FIRST_MARKS
from cutpoint.em.observations import InMemory
from cutpoint.kernels import kernels
from cutpoint.kernels.words import EncodedWords, Floats
from cutpoint.search.generators import law_of_inputs
from cutpoint.search.labels import HiddenStates, Labelling, Solution
from cutpoint.search.tournament import Rules

MADE_UP, PER_OBSERVATION = 6000, 3  # most made-up words, and how many for each observation; fewer weigh as many
FEWEST = 30  # with fewer there is too little to learn from, or to choose by
HELD_BACK = 4  # every so many made-up words do not teach: they choose the student
STEPS = 40  # E-steps of a student
NEGLIGIBLE = 1e-12  # labels of smaller probability are left out


def can_be_taught(sample: Sample, rules: Rules) -> bool:
    """Whether a teacher's probabilities say all that was seen: labels of hidden states, at the ends of words alone."""
    if not isinstance(rules.states, HiddenStates):
        return False
    labels = rules.states.labelling.positions(sample)
    return bool((labels >= 0).sum() == (labels[sample.offsets[1:] + np.arange(len(sample))] >= 0).sum())


def best_student(
    solutions: Sequence[Solution], sample: Sample, rules: Rules, is_late: Callable[[], bool] | None = None
) -> tuple[Solution, int] | None:
    """The one of the solutions' students that is nearest to their mean, and its number; None without a law of words.

    Each of the solutions climbs on, on what was seen and, beside it, on made-up words that have the solutions' mean
    probability of each label as weights. Such labels carry no noise, so that what the solutions agree on remains.
    """
    assert isinstance(rules.states, HiddenStates)  # or the teacher's probabilities would not be all that was seen
    labelling, rng = rules.states.labelling, np.random.default_rng([rules.seed, 3])
    words = made_up_words(sample, min(MADE_UP, int(PER_OBSERVATION * sample.total)), rules.threads, rng)
    if words is None:
        return None
    teacher = label_probabilities(solutions, words.decoded, labelling, rules.threads)
    judging = np.arange(len(words)) % HELD_BACK == 0
    weight = max(1.0, PER_OBSERVATION * sample.total / float(words.counts.sum()))
    lessons = taught(sample, words.take(np.flatnonzero(~judging)), weight * teacher[:, ~judging], labelling)
    data, judges = InMemory(lessons, rules.threads), words.take(np.flatnonzero(judging))
    students, divergences = [], []
    for solution in solutions:
        climb = rules.climb(solution, data, likely=solution.parameters)
        climb.advance(STEPS, is_late=is_late)
        students.append(Solution(climb.parameters, solution.kinds))
        own = label_probabilities(students[-1:], judges.decoded, labelling, rules.threads)
        divergences.append(float(judges.counts @ divergence(teacher[:, judging], own)))
    best = int(np.argmin(divergences))
    return students[best], best


def made_up_words(sample: Sample, number: int, threads: int | None, rng: np.random.Generator) -> Sample | None:
    """Words drawn from a small law of those of a sample; None where there is no law, or too little to draw."""
    law = law_of_inputs(sample, threads=threads, rng=rng) if number >= FEWEST else None
    if law is None:
        return None
    longest = float(sample.lengths.max()) + 1.0
    words = law.simulate(max(FEWEST, min(number, int(number * longest / (law.expected_length() + 1.0)))), rng)
    return words if len(words) >= FEWEST else None


def label_probabilities(
    solutions: Sequence[Solution], words: EncodedWords, labelling: Labelling, threads: int | None
) -> Floats:
    """Mean probability of each label at the end of each word, ``[label, word]``."""
    total = np.zeros((len(labelling.names), len(words)))
    for parameters, kinds in solutions:
        for label in range(len(total)):
            column = (kinds == label).astype(np.float64)
            total[label] += kernels().acceptances(parameters.transitions, parameters.initial, column, words, threads)
    return total / len(solutions)


def taught(sample: Sample, words: Sample, probabilities: Floats, labelling: Labelling) -> Sample:
    """What was seen, and beside it every word with each label, weighted by its probability ``[label, word]``."""
    marks = [np.flatnonzero(labelling.of_mark == label)[:1].tolist() for label in range(len(probabilities))]
    seen = [label for label, shown in enumerate(marks) if shown]
    parts, counts = with_labels(words, probabilities[seen], [marks[label][0] for label in seen])
    encoded = EncodedWords.concatenate([sample.decoded, *parts])
    return Sample.from_encoded(encoded, np.concatenate([sample.counts, *counts]), sample.alphabet, sample.mark_table)


def with_labels(words: Sample, probabilities: Floats, marks: Sequence[int]) -> tuple[list[EncodedWords], list[Floats]]:
    """Words with each label in turn, given its mark, and their counts times its probability ``[label, word]``."""
    parts, counts = [], []
    for mark, row in zip(marks, probabilities, strict=True):
        weights = words.counts * row
        some = np.flatnonzero(weights > NEGLIGIBLE)
        parts.append(_labelled(words.decoded.take(some), mark))
        counts.append(weights[some])
    return parts, counts


def _labelled(words: EncodedWords, mark: int) -> EncodedWords:
    """Words with a mark at their ends: a verdict is a mark on the word, others are marks at its last position."""
    if mark < len(FIRST_MARKS):
        return replace(words, ends=np.full(len(words), mark, dtype=np.int32))
    marks = np.zeros(int(words.positions[-1]), dtype=np.int32)
    marks[words.positions[1:] - 1] = mark
    return replace(words, marks=marks)


def divergence(teacher: Floats, other: Floats) -> Floats:
    """Kullback-Leibler divergence of probabilities of labels from a teacher's, word by word, in nats."""
    with np.errstate(divide="ignore", invalid="ignore"):
        terms = np.where(teacher > 0.0, teacher * (np.log(teacher) - np.log(other)), 0.0)
    return np.asarray(np.maximum(terms.sum(axis=0), 0.0))
