"""A minimal participant that trains no model. Replace the function bodies with your own code."""

from tollgate_participant import (
    AggregateResult,
    TrainResult,
    register_aggregate,
    register_evaluate,
    register_train,
    run,
)

register_train(lambda parameters, dataset: TrainResult(parameters or b"", allow_empty=True))
register_evaluate(lambda parameters, dataset: 0.5)
register_aggregate(lambda parameters_list: AggregateResult(parameters_list[0], allow_empty=True))

if __name__ == "__main__":
    run()
