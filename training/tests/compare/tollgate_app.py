import os
from array import array

from logistic_task import FEATURES, accuracy, make_rows, train
from tollgate_participant import Participant

app = Participant()
rows = make_rows(int(os.environ["PARTICIPANT_INDEX"]))


@app.register_train
def fit(parameters, dataset):
    weights = array("f", parameters) if parameters else [0.0] * (FEATURES + 1)
    return array("f", train(weights, rows)).tobytes(), len(rows)


@app.register_evaluate
def score(parameters, dataset):
    return accuracy(array("f", parameters), rows), len(rows)


app.run(require=["train", "evaluate"])
