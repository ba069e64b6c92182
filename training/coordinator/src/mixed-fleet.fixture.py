"""Python participant that behaves like the test's TypeScript participants. It exits when its standard input ends."""

import struct
import sys

from tollgate_participant import Participant, Tensor, TrainResult, fed_avg_aggregate, read_tensors, write_tensors

target = float(sys.argv[1])
app = Participant(port=0)


def load(parameters):
    data = bytes(16) if parameters is None else read_tensors(parameters)["weights"].data
    return list(struct.unpack("<4f", data))


@app.register_train
def train(parameters, dataset):
    moved = [weight + (target - weight) / 2 for weight in load(parameters)]
    tensor = Tensor("F32", (4,), struct.pack("<4f", *moved))
    return TrainResult(write_tensors({"weights": tensor}), num_examples=17, metrics={"loss": abs(target)})


@app.register_evaluate
def evaluate(parameters, dataset):
    return 1 - abs(target - load(parameters)[0]) / 100


app.register_aggregate(fed_avg_aggregate())

running = app.start()
print(running.url, flush=True)
sys.stdin.read()
running.close()
