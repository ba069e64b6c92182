import numpy as np
from flwr.app import ArrayRecord, Context, Message, MetricRecord, RecordDict
from flwr.clientapp import ClientApp

from logistic.logistic_task import accuracy, make_rows, train

app = ClientApp()


@app.train()
def fit(message: Message, context: Context) -> Message:
    rows = make_rows(int(context.node_config["partition-id"]))
    weights = message.content["arrays"].to_numpy_ndarrays()[0].tolist()
    arrays = ArrayRecord([np.array(train(weights, rows), dtype=np.float32)])
    metrics = MetricRecord({"num-examples": len(rows)})
    return Message(content=RecordDict({"arrays": arrays, "metrics": metrics}), reply_to=message)


@app.evaluate()
def score(message: Message, context: Context) -> Message:
    rows = make_rows(int(context.node_config["partition-id"]))
    weights = message.content["arrays"].to_numpy_ndarrays()[0].tolist()
    metrics = MetricRecord({"accuracy": accuracy(weights, rows), "num-examples": len(rows)})
    return Message(content=RecordDict({"metrics": metrics}), reply_to=message)
