"""
A word repeated: closed forms
=============================

Acceptance of a word repeated k times satisfies a linear recurrence, found exactly. Here is the weather after k days and
a cut point that it crosses once.
"""

import cutpoint as cp

weather = cp.Acceptor(["dry", "wet"], "d", {"d": [["9/10", "1/10"], ["1/2", "1/2"]]}, "dry", {"wet"})
days = cp.recurrence(weather)
print(days)
cp.plots.recurrence(days, length=12, cut_point="1/7")
