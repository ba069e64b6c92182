"""Logistic regression in plain Python, used as the same task in both systems."""

import math
import random

FEATURES = 10


def make_rows(partition, count=400):
    """Return the rows of one participant. All participants share the true weights but have different rows."""
    truth = [math.sin(1.0 + index) * 2.0 for index in range(FEATURES)]
    source = random.Random(1000 + partition)
    shift = [(partition - 1) * 0.3] * FEATURES
    rows = []
    for _ in range(count):
        values = [source.gauss(0.0, 1.0) + moved for moved in shift]
        score = sum(weight * value for weight, value in zip(truth, values)) + source.gauss(0.0, 0.5)
        rows.append((values, 1.0 if score > 0 else 0.0))
    return rows


def train(weights, rows, epochs=2, rate=0.1):
    """Run stochastic gradient descent over the rows in order. The last weight is the bias."""
    weights = list(weights)
    for _ in range(epochs):
        for values, label in rows:
            score = weights[-1] + sum(weight * value for weight, value in zip(weights, values))
            error = 1.0 / (1.0 + math.exp(-max(-30.0, min(30.0, score)))) - label
            for index, value in enumerate(values):
                weights[index] -= rate * error * value
            weights[-1] -= rate * error
    return weights


def accuracy(weights, rows):
    """Return the share of correctly classified rows."""
    right = 0
    for values, label in rows:
        score = weights[-1] + sum(weight * value for weight, value in zip(weights, values))
        right += (score > 0) == (label == 1.0)
    return right / len(rows)
