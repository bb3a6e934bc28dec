"""
From a cut point to a finite automaton
======================================

The words that the binary acceptor accepts with more than 4/7 are those that spell a number above 0.100100… from the
back. As the cut point is rational, a deterministic finite automaton suffices, and :class:`cutpoint.Language` finds it.
"""

import cutpoint as cp

language = cp.Language(cp.p_adic(2), "4/7")
dfa = language.to_dfa()
assert isinstance(dfa, cp.DFA)  # it may be Unknown: whether a language is regular is undecidable in general
print(dfa)
cp.draw(dfa)

# %%
# The automaton and the acceptor agree on every word.

words = cp.random_words("01", 1000, (0, 12), rng=1)
print(all(dfa.accepts(word) == (word in language) for word in words))
