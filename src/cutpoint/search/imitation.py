"""imitate: an acceptor that answers as any other model does, learned from its probabilities of many words."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from cutpoint.data import PlainWord, Sample, Words
from cutpoint.data.alphabet import each_word
from cutpoint.em.baum_welch import baum_welch
from cutpoint.em.observations import Engine
from cutpoint.errors import InvalidArgument, UnusedStatesWarning
from cutpoint.exact import whole_number
from cutpoint.kernels.words import EncodedWords, Floats
from cutpoint.model import Acceptor, Generator
from cutpoint.model.parts import random_generator
from cutpoint.search.learn import learn
from cutpoint.search.learned import Learned, SearchProgress, finished
from cutpoint.search.students import divergence, made_up_words, with_labels
from cutpoint.wording import counted, shown

N_WORDS = 6000  # made-up words by default
LEAST_WORDS = 10
HELD_OUT = 5  # every so many words judge the imitation and do not teach it
LAST_STEPS, LAST_PRIOR = 300, 1e-4  # of the last climb: a teacher's probabilities carry no noise, and need little prior
SHOWN = 5  # words of largest difference that are kept

Teacher = Any  # an Acceptor or Generator, anything with predict_proba, or a function from words to probabilities


@dataclass(frozen=True, repr=False)
class Imitation(Learned):
    """Result of :func:`imitate`: a :class:`Learned` with how near the imitation is, on words that did not teach it.

    Attributes
    ----------
    divergence : mean Kullback-Leibler divergence from the teacher's probabilities to the imitation's, in nats per word.
    differences : words of largest difference, each with the teacher's probability and the imitation's.
    n_words : number of words that this was judged by.
    """

    divergence: float = 0.0
    differences: tuple[tuple[PlainWord, float, float], ...] = ()
    n_words: int = 0

    def _further_rows(self) -> list[list[str]]:
        return [["divergence from the teacher", f"{self.divergence:.3g} nats"], *super()._further_rows()]

    def __repr__(self) -> str:
        (word, its, own), *_ = self.differences
        return (
            f"<Imitation: divergence {self.divergence:.3g} nats, largest difference {abs(its - own):.3g} at "
            f"{shown(word)}, over {counted(self.n_words, 'word')} that did not teach it\n  {self.acceptor!r}>"
        )


def imitate(
    teacher: Teacher,
    inputs: Generator | Sample | Words,
    n_states: int | None = None,
    *,
    n_words: int = N_WORDS,
    folds: int | None = None,
    threads: int | None = None,
    time_limit: float | None = None,
    callback: Callable[[SearchProgress], object] | None = None,
    checkpoint: str | os.PathLike[str] | None = None,
    rng: np.random.Generator | int = 0,
    engine: Engine | None = None,
) -> Imitation:
    r"""Learn an acceptor that imitates any model: a team, a classifier of scikit-learn, a network, a function.

    .. math:: \mathrm{KL} = \frac1n \sum_x p_x \log\frac{p_x}{q_x} + (1 - p_x) \log\frac{1 - p_x}{1 - q_x}

    with :math:`p_x` the teacher's probability that a word is accepted and :math:`q_x` the imitation's.

    Parameters
    ----------
    teacher : an acceptor or generator; a classifier of two classes with ``predict_proba`` (of the second one); or a
        function from a list of words to their probabilities.
    inputs : which words matter: a generator of them; or a sample or words, of which a law is learned, and which teach
        as well (a sample's outcomes are not looked at).
    n_states : number of states; None chooses it as :func:`learn` does.
    n_words : number of made-up words.
    folds, threads, time_limit, callback, checkpoint, rng, engine : as of :func:`learn`.

    Returns
    -------
    An :class:`Imitation` with ``acceptor``, judged by a fifth of the words, which did not teach it.

    Notes
    -----
    Every word is learned from twice: accepted with weight :math:`p_x`, rejected with weight :math:`1 - p_x`, times its
    count. Such labels say more than single verdicts. :func:`learn` searches, and a climb on all of them ends it.

    Examples
    --------
    >>> teacher = cp.mixture([cp.p_adic(2)] * 3)
    >>> small = cp.imitate(teacher, cp.random_words("01", 200, (1, 6), rng=1), n_states=2, n_words=300, folds=2)
    >>> small.acceptor.n_states, small.divergence < 0.001
    (2, True)
    """
    whole_number("n_words", n_words, least=0)
    draws = random_generator(rng)
    pool = _words(teacher, inputs, n_words, threads, draws)
    if len(pool) < LEAST_WORDS:
        what = f"must have at least {LEAST_WORDS} different words; got {len(pool)}."
        raise InvalidArgument(what, argument="inputs", advice="Give more words, or increase {n_words}.")
    words = [pool.alphabet.decode(pool.decoded.word(r)) for r in range(len(pool))]
    accepted = _probabilities(teacher, words)
    probabilities = np.stack((1.0 - accepted, accepted))
    judging = np.zeros(len(pool), dtype=np.bool_)
    judging[np.argsort(pool.counts, kind="stable")[: len(pool) // HELD_OUT]] = True  # rare ones; the others teach
    lessons = _lessons(pool, probabilities, ~judging)
    options: dict[str, Any] = {"threads": threads, "engine": engine}
    search: dict[str, Any] = {
        "folds": folds,
        "time_limit": time_limit,
        "callback": callback,
        "checkpoint": checkpoint,
        "rng": draws,
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnusedStatesWarning)
        learned = finished(learn(lessons, n_states, student=False, **search, **options))
    options |= {"max_steps": LAST_STEPS, "prior": LAST_PRIOR, "learn_initial": True, "accelerate": True}
    fit = baum_welch(learned.acceptor, lessons, **options)
    acceptor = fit.acceptor
    held = np.flatnonzero(judging)
    own = acceptor.acceptances([words[r] for r in held])
    apart = divergence(probabilities[:, held], np.stack(((~acceptor).acceptances([words[r] for r in held]), own)))
    worst = np.argsort(-np.abs(own - accepted[held]), kind="stable")[:SHOWN].tolist()
    differences = tuple((words[held[k]], float(accepted[held[k]]), float(own[k])) for k in worst)
    parts = {field.name: getattr(learned, field.name) for field in fields(Learned)}
    parts |= {"model": acceptor, "log_likelihood": fit.log_likelihood}
    return Imitation(**parts, divergence=float(apart.mean()), differences=differences, n_words=len(held))


def _words(
    teacher: Teacher, inputs: Generator | Sample | Words, number: int, threads: int | None, rng: np.random.Generator
) -> Sample:
    """Words to learn from, given ones with a weight of 1 on the mean, over the teacher's alphabet if it has one."""
    if isinstance(inputs, Generator):
        found = [inputs.simulate(max(1, number), rng, with_outcomes=False)]
    else:
        given = inputs if isinstance(inputs, Sample) else Sample(each_word(inputs))
        plain = EncodedWords.without_marks(given.symbols, given.offsets)
        weights = given.counts / given.counts.mean()
        made = made_up_words(given, number, threads, rng)
        found = [Sample.from_encoded(plain, weights, given.alphabet, merge=True), *([made] if made else [])]
    return Sample.concatenate(
        found, teacher.alphabet if isinstance(teacher, Acceptor | Generator) else found[0].alphabet
    )


def _probabilities(teacher: Teacher, words: list[PlainWord]) -> Floats:
    """The teacher's probability that each word is accepted."""
    if isinstance(teacher, Acceptor | Generator):
        found = teacher.acceptances(words)
    elif hasattr(teacher, "predict_proba"):
        found = np.asarray(teacher.predict_proba(words))
        if found.ndim != 2 or found.shape[1] != 2:
            what = f"must tell two classes apart; its predict_proba gives shape {found.shape}."
            raise InvalidArgument(what, argument="teacher", advice="Pass a function from words to probabilities.")
        found = found[:, 1]
    elif callable(teacher):
        found = np.asarray(teacher(words), dtype=np.float64)
    else:
        what = f"must be an acceptor, a generator, a classifier or a function; got {shown(teacher)}."
        raise InvalidArgument(what, argument="teacher")
    if found.shape != (len(words),):
        what = f"must give one probability for each of {counted(len(words), 'word')}; got shape {found.shape}."
        raise InvalidArgument(what, argument="teacher")
    for r in np.flatnonzero(~((found >= 0.0) & (found <= 1.0))):  # NaN too
        what = f"must give probabilities from 0 to 1; got {found[r]:g} for {shown(words[r])}."
        raise InvalidArgument(what, argument="teacher")
    return np.asarray(found, dtype=np.float64)


def _lessons(words: Sample, probabilities: Floats, rows: Any) -> Sample:
    """Some of the words, rejected and accepted, with the probabilities ``[label, word]`` as weights."""
    chosen = np.flatnonzero(rows)
    parts, counts = with_labels(words.take(chosen), probabilities[:, chosen], (2, 1))
    return Sample.from_encoded(EncodedWords.concatenate(parts), np.concatenate(counts), words.alphabet)
