"""
Why a case has its probability
==============================

What each event of a case changed in the forecast of its outcome: the bars begin with what could be expected before the
first event and add up to the probability of the whole case.
"""

import cutpoint as cp

customers = cp.gallery.customers()
journeys = [
    ["ad", "visit", "cart"],
    ["ad", "wait"],
    ["ad", "visit", "wait"],
    ["mail", "visit", "cart"],
    ["mail", "wait", "visit"],
    ["visit", "cart"],
]
inputs = cp.Generator.from_ngrams(journeys, n=2)  # what tends to follow what
why = cp.explain(customers, ["ad", "wait", "visit", "cart"], inputs=inputs, outcome="bought")
cp.plots.waterfall(why)

# %%
# The same in text. Shapley values answer another question: what would the model say without the event?

print(why)
