"""A participant in a federated run. It trains on its own rows. Only parameters leave this process."""

import math
import os
from array import array

from tollgate_participant import BadRequest, EvaluateResult, Participant, TrainResult

FEATURES = {"price": 200.0, "discount": 0.6, "delivery_days": 9.0, "visits": 12.0}  # divisors that scale values to 0…1
LABEL = "returned"
EPOCHS = 5
RATE = 0.4

app = Participant(dataset=os.environ.get("DATASET_PATH", "data.csv"))


def my_rows(dataset):
    """Return this participant's share of the rows. On separate machines, return the whole dataset instead."""
    index = int(os.environ.get("PARTICIPANT_INDEX", "0"))
    count = int(os.environ.get("PARTICIPANT_COUNT", "1"))
    return dataset[index::count]


def split(dataset):
    """Split the rows into training and evaluation sets. Every fifth row is used for evaluation."""
    rows = my_rows(dataset)
    if len(rows) < 2:
        raise BadRequest(f"{len(rows)} rows are too few: at least one each is required for training and evaluation")
    return [row for i, row in enumerate(rows) if i % 5], rows[::5]


def predict(weights, row):
    score = weights[0] + sum(w * float(row[name]) / scale for w, (name, scale) in zip(weights[1:], FEATURES.items()))
    return 1.0 / (1.0 + math.exp(-score))


def load(parameters):
    """Read 32-bit floats: the intercept, then one weight per feature. None means an untrained model."""
    return array("f", parameters) if parameters else array("f", [0.0] * (1 + len(FEATURES)))


@app.register_train
def train(parameters, dataset, ctx):
    weights, (rows, _) = load(parameters), split(dataset)
    for epoch in range(EPOCHS):
        gradient = [0.0] * len(weights)
        for row in rows:
            error = predict(weights, row) - float(row[LABEL])
            gradient[0] += error
            for i, (name, scale) in enumerate(FEATURES.items(), start=1):
                gradient[i] += error * float(row[name]) / scale
        for i, slope in enumerate(gradient):
            weights[i] -= RATE * slope / len(rows)
        ctx.progress(step=epoch + 1, total=EPOCHS)
    return TrainResult(parameters=weights.tobytes(), num_examples=len(rows))


@app.register_evaluate
def evaluate(parameters, dataset):
    weights, (_, rows) = load(parameters), split(dataset)
    right, loss = 0, 0.0
    for row in rows:
        chance, label = predict(weights, row), float(row[LABEL])
        right += (chance >= 0.5) == (label == 1.0)
        loss -= math.log(max(1e-12, chance if label == 1.0 else 1.0 - chance))
    return EvaluateResult(accuracy=right / len(rows), num_examples=len(rows), metrics={"loss": loss / len(rows)})


@app.register_aggregate
def aggregate(parameters_list):
    models = [load(parameters) for parameters in parameters_list]
    return array("f", [sum(column) / len(models) for column in zip(*models)]).tobytes()


if __name__ == "__main__":
    app.run()
