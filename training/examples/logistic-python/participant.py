"""One of five participants, each with its own rows. It trains a logistic regression without any library."""

import math
import os
import random
import struct

from tollgate_participant import (
    EvaluateResult,
    Participant,
    Tensor,
    TrainResult,
    fed_avg_aggregate,
    read_tensors,
    write_tensors,
)

FEATURES, EPOCHS, RATE = 8, 2, 0.1


def make_rows(index, count):
    """Return training and held-out rows. The mean grows with the index, so each participant has a different mix."""
    truth = random.Random(7)
    slope = [truth.gauss(0, 3) for _ in range(FEATURES)]
    source = random.Random(1000 + index)
    rows = []
    for _ in range(400 + 100 * index):
        row = [source.gauss(0.4 * (index - (count - 1) / 2), 1) for _ in range(FEATURES)]
        chance = predict([*slope, -1.0], row)
        rows.append((row, 1 if source.random() < chance else 0))
    return rows[: len(rows) * 4 // 5], rows[len(rows) * 4 // 5 :]


def predict(model, row):
    score = model[-1] + sum(weight * value for weight, value in zip(model, row))
    return 1 / (1 + math.exp(-max(-60.0, min(60.0, score))))


def load(parameters):
    if parameters is None:
        return [0.0] * (FEATURES + 1)
    return list(struct.unpack(f"<{FEATURES + 1}f", read_tensors(parameters)["model"].data))


def save(model):
    return write_tensors({"model": Tensor("F32", (len(model),), struct.pack(f"<{len(model)}f", *model))})


def fit(model, rows, epochs):
    for _ in range(epochs):
        slopes = [0.0] * len(model)
        for row, label in rows:
            error = predict(model, row) - label
            slopes = [slope + error * value for slope, value in zip(slopes, [*row, 1.0])]
        model = [weight - RATE * slope / len(rows) for weight, slope in zip(model, slopes)]
    return model


def accuracy_of(model, rows):
    return sum((predict(model, row) >= 0.5) == (label == 1) for row, label in rows) / len(rows)


def main():
    index, count = int(os.environ.get("PARTICIPANT_INDEX", "0")), int(os.environ.get("PARTICIPANT_COUNT", "1"))
    training, held_out = make_rows(index, count)
    app = Participant()

    @app.register_train
    def train(parameters, dataset, context):
        model = fit(load(parameters), training, EPOCHS)
        return TrainResult(save(model), num_examples=len(training), metrics={"accuracy": accuracy_of(model, training)})

    @app.register_evaluate
    def evaluate(parameters, dataset):
        model = load(parameters)
        right = [predict(model, row) if label else 1 - predict(model, row) for row, label in held_out]
        loss = -sum(math.log(max(1e-12, chance)) for chance in right) / len(held_out)
        return EvaluateResult(accuracy_of(model, held_out), len(held_out), {"loss": loss})

    app.register_aggregate(fed_avg_aggregate())
    app.run()


if __name__ == "__main__":
    main()
