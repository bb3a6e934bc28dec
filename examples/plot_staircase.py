"""
The p-adic acceptor, and a cut point
====================================

Example 1 of the paper: a word is accepted with the probability that it spells from the back as a number in base p. At
the cut point 1/3 the shaded words form a language; since 1/3 is rational, a finite automaton accepts it.
"""

import cutpoint as cp

binary = cp.p_adic(2)
cp.plots.staircase(binary, 6, cut_point="1/3")

# %%
# Figure 1 of the paper, drawn from the acceptor itself.

cp.draw(binary)

# %%
# At an irrational cut point the language is not regular. Answers are exact all the same, however near a word comes.

root = cp.AlgebraicNumber.sqrt("1/2")
print(binary.accepts("01" * 20, "2/3"), binary.exact_acceptance("01" * 20))
print(cp.Language(binary, root).count(10))
