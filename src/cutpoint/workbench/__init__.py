"""The workbench: a local web application over the package. Its page is in ``web/`` at the root.

``messages`` has every request and answer, ``routes`` a function for each, a few lines over the package. They are
reached in three ways: over HTTP (``server``, behind ``guard``; long work in processes of its own, ``workers``), from a
notebook (``widget``), and within the browser itself, where Python runs there (``static``).
"""
