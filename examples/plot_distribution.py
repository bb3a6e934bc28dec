"""
Where a case stands after each event
====================================

A customer sees an ad, waits, visits. After each event the model has a distribution over its hidden states; the last
row is the probability that the case is accepted if it ends there.
"""

import cutpoint as cp

customers = cp.gallery.customers()
journey = ["ad", "wait", "visit", "cart", "wait"]
cp.plots.forward(customers, journey)

# %%
# The table behind the picture is the paper's *M*: a row for each prefix.

print(customers.forward(journey).round(3))
