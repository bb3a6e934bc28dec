"""Acceptors as a classifier for scikit-learn (extra ``[sklearn]``)."""

from cutpoint.estimator.classifier import AcceptorClassifier as AcceptorClassifier
