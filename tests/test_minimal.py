"""The one file to run: each main thing once."""

from fractions import Fraction

import cutpoint as cp


def test_the_main_things() -> None:
    acceptor = cp.p_adic(2)
    assert acceptor.acceptance("011") == 0.75
    assert acceptor.exact_acceptance("011") == Fraction(3, 4)
    assert acceptor.accepts("011", "1/2")
    assert not acceptor.accepts("01", "1/2")
    words = cp.random_words("01", 400, (0, 5), rng=1)
    sample = cp.simulate(acceptor, words, rng=2)
    fit = cp.baum_welch(cp.random_acceptor(2, "01", rng=3), sample, learn_initial=True)
    assert fit.log_likelihood > cp.log_likelihood(cp.random_acceptor(2, "01", rng=3), sample)
    assert fit.history == tuple(sorted(fit.history))
    dfa = cp.Language(acceptor, "1/3").to_dfa()
    assert isinstance(dfa, cp.DFA)
    assert dfa.accepts("1")
