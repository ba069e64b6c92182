"""Python test participant whose functions follow config["behavior"]. subject.ts is its TypeScript counterpart."""

from __future__ import annotations

import json
import math
import os
import re
import sys
import time

IMPORTED: list[str] = []
# Installed before any other import to detect every import of pickle, which can run code.
sys.addaudithook(lambda event, arguments: IMPORTED.append(str(arguments[0])) if event == "import" else None)

from tollgate_participant import (
    AggregateResult,
    BadRequest,
    EvaluateResult,
    IncompatibleParameters,
    Participant,
    TrainResult,
    fed_avg_aggregate,
)

SETTINGS = json.loads(os.environ["SUBJECT"])
POLL_SECONDS = 0.005
trainings = 0


def train(parameters, dataset, context):
    global trainings
    trainings += 1
    behave(context)
    behavior = context.config.get("behavior")
    given = b"untrained" if parameters is None else parameters
    if behavior == "describe":
        return describe({"parameters": to_hex(parameters), "dataset": dataset, **describe_context(context)})
    if behavior == "rows":
        return describe(list(context.rows()))
    if behavior == "count":
        return b"training %d" % trainings
    if behavior == "imports":
        return describe(find_pickles())
    if behavior == "empty":
        return b""
    if behavior == "empty_meant":
        return TrainResult(b"", allow_empty=True)
    if behavior == "bad_type":
        return "text"
    if behavior == "metrics":
        return TrainResult(given, num_examples=3, metrics={"loss": 0.25, "grad_norm": -1.5})
    if behavior == "big":
        return b"\x07" * context.config["bytes"]
    badly = report_badly(context)
    return given if badly is None else TrainResult(given, **badly)


def evaluate(parameters, dataset, context):
    behave(context)
    behavior = context.config.get("behavior")
    if behavior == "nan":
        return math.nan
    if behavior == "infinity":
        return math.inf
    if behavior == "minus_infinity":
        return EvaluateResult(-math.inf)
    if behavior == "negative":
        return -2.5
    if behavior == "bad_type":
        return "text"
    if behavior == "bool":
        return True
    if behavior == "metrics":
        return EvaluateResult(0.75, num_examples=3, metrics={"loss": 0.25})
    badly = report_badly(context)
    return 0.5 if badly is None else EvaluateResult(0.5, **badly)


def aggregate(parameters_list, context):
    behave(context)
    behavior = context.config.get("behavior")
    if behavior == "describe":
        members = [to_hex(parameters) for parameters in parameters_list]
        return describe({"list": members, "weights": context.weights, **describe_context(context)})
    if behavior == "empty":
        return b""
    if behavior == "bad_type":
        return 7
    if behavior == "metrics":
        return AggregateResult(parameters_list[0], metrics={"members": len(parameters_list)})
    return parameters_list[0]


def behave(context):
    """Run the behaviors that all three functions share."""
    behavior, gate = context.config.get("behavior"), context.config.get("gate")
    if behavior == "throw":
        raise ValueError("boom")
    if behavior == "throw_nothing":
        raise ValueError()
    if behavior == "bad_request":
        raise BadRequest("the labels are missing")
    if behavior == "incompatible":
        raise IncompatibleParameters("layer 2 has another shape")
    if behavior == "progress":
        context.progress(2, 8, {"loss": 0.5})
    if behavior == "wait_for_cancel":
        mark_reached(gate)
        while not context.signal.is_set():
            time.sleep(POLL_SECONDS)
        mark_reached(gate + "-signalled")
        raise RuntimeError("stopped")
    # With only a gate, the function ignores its signal.
    if gate is not None:
        mark_reached(gate)
        while not os.path.exists(os.path.join(SETTINGS["folder"], gate + ".open")):
            time.sleep(POLL_SECONDS)


def report_badly(context):
    """Return invalid optional result fields for the requested behavior, or None."""
    behavior = context.config.get("behavior")
    if behavior == "bad_metrics":
        return {"metrics": {"loss": math.nan}}
    if behavior == "bad_metrics_type":
        return {"metrics": {"loss": "low"}}
    if behavior == "bad_examples":
        return {"num_examples": -1}
    return None


def describe_context(context):
    config = {name: value for name, value in context.config.items() if name != "behavior"}
    return {"config": config, "round": context.round, "run": context.run_id}


def describe(value):
    """Encode a value as JSON, byte for byte as the TypeScript participant does."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode()


def find_pickles():
    """Return all pickle-related modules that were imported or requested since the process started."""
    return sorted({name for name in [*IMPORTED, *sys.modules] if "pickle" in name})


def mark_reached(gate):
    with open(os.path.join(SETTINGS["folder"], gate + ".reached"), "w"):
        pass


def to_hex(parameters):
    return None if parameters is None else parameters.hex()


def snake_case(value):
    """Convert option names to snake case, except the user's names inside `datasets`."""
    if not isinstance(value, dict):
        return value
    return {
        re.sub("[A-Z]", lambda letter: "_" + letter.group().lower(), name): inner
        if name == "datasets"
        else snake_case(inner)
        for name, inner in value.items()
    }


def main():
    options = snake_case(SETTINGS.get("options", {}))
    options.update(options.pop("limits", {}))
    app = Participant(**{"port": 0, **options})
    functions = SETTINGS.get("functions", ["train", "evaluate", "aggregate"])
    if "train" in functions:
        app.register_train(train)
    if "evaluate" in functions:
        app.register_evaluate(evaluate)
    if "aggregate" in functions:
        app.register_aggregate(
            fed_avg_aggregate(format="auto") if SETTINGS.get("aggregator") == "fedavg" else aggregate
        )
    app.run(require=[], on_start=announce)


def announce(running):
    path = os.path.join(SETTINGS["folder"], "port")
    # Rename the file into place, so that a partial number is never read.
    with open(path + ".new", "w") as file:
        file.write(running.url.rsplit(":", 1)[1])
    os.replace(path + ".new", path)


if __name__ == "__main__":
    main()
