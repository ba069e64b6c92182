import time

import numpy as np
from flwr.app import ArrayRecord, Context
from flwr.serverapp import Grid, ServerApp
from flwr.serverapp.strategy import FedAvg

from logistic.logistic_task import FEATURES

app = ServerApp()


@app.main()
def main(grid: Grid, context: Context) -> None:
    rounds = int(context.run_config["rounds"])
    strategy = FedAvg(fraction_train=1.0, fraction_evaluate=1.0, min_train_nodes=3, min_evaluate_nodes=3, min_available_nodes=3)
    started = time.monotonic()
    result = strategy.start(
        grid=grid, initial_arrays=ArrayRecord([np.zeros(FEATURES + 1, dtype=np.float32)]), num_rounds=rounds
    )
    seconds = time.monotonic() - started
    last = dict(result.evaluate_metrics_clientapp[rounds])
    print(f"COMPARE seconds={seconds:.3f} rounds={rounds} accuracy={last['accuracy']:.4f}", flush=True)
