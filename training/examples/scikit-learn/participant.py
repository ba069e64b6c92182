"""A participant with a scikit-learn linear classifier and its own rows. Only coefficients leave the process."""

import os

import numpy
from sklearn.datasets import make_classification
from sklearn.linear_model import SGDClassifier
from sklearn.metrics import log_loss

from tollgate_participant import (
    EvaluateResult,
    Participant,
    TrainResult,
    fed_avg_aggregate,
    from_numpy,
    read_tensors,
    to_numpy,
    write_tensors,
)

index, count = int(os.environ.get("PARTICIPANT_INDEX", "0")), int(os.environ.get("PARTICIPANT_COUNT", "1"))
rows, labels = make_classification(4000, 20, n_informative=12, class_sep=1.6, flip_y=0.02, random_state=7)
mine, held_out = slice(index, 3000, count), slice(3000 + index, None, count)

app = Participant()


def load(parameters):
    arrays = {name: to_numpy(tensor) for name, tensor in read_tensors(parameters).items()}
    return {"coef_init": arrays["coef"], "intercept_init": arrays["intercept"]}


@app.register_train
def train(parameters, dataset):
    model = SGDClassifier(loss="log_loss", max_iter=3, tol=None, random_state=index)
    model.fit(rows[mine], labels[mine], **({} if parameters is None else load(parameters)))
    result = write_tensors({"coef": from_numpy(model.coef_), "intercept": from_numpy(model.intercept_)})
    return TrainResult(result, num_examples=len(labels[mine]))


@app.register_evaluate
def evaluate(parameters, dataset):
    start = load(parameters)
    scores = rows[held_out] @ start["coef_init"][0] + start["intercept_init"][0]
    chances = 1 / (1 + numpy.exp(-numpy.clip(scores, -30, 30)))
    accuracy = ((chances > 0.5) == labels[held_out]).mean()
    return EvaluateResult(accuracy, len(chances), {"loss": log_loss(labels[held_out], chances)})


app.register_aggregate(fed_avg_aggregate())

if __name__ == "__main__":
    app.run()
