"""In-process simulation of training rounds, without sockets, for tests and experiments."""

from __future__ import annotations

import inspect
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Optional, Protocol

from .aggregation.fed_avg_aggregate import fed_avg_aggregate
from .aggregation.members import total_of
from .calls.check_result import check_result
from .console_log import ConsoleLog
from .failures import BadRequest
from .handlers import Context, Handler, Row, Signal, takes_context

RUN_ID = "simulation"


class Simulated(Protocol):
    """Participant interface that a simulation requires."""

    @property
    def functions(self) -> Mapping[str, Handler]:
        """Return the registered functions by operation."""

    def local_rows(self) -> list[Row]:
        """Return the participant's local dataset."""


@dataclass(frozen=True)
class SimulatedRound:
    """Result of one simulated round."""

    round: int
    parameters: bytes
    # The mean over all participants that evaluate, weighted by examples. None if no participant evaluates.
    accuracy: Optional[float]
    # Keyed by the participant's index in the list.
    accuracies: Mapping[int, float]


def simulate(
    participants: Sequence[Simulated],
    rounds: int,
    parameters: Optional[bytes] = None,
    config: Optional[Mapping[str, Any]] = None,
) -> list[SimulatedRound]:
    """Train, aggregate, and evaluate for the given number of rounds, and return the result of each round.

    Participants run one after the other. The first participant with an aggregate function aggregates for all. If no
    participant has one, the parameters are averaged according to their format.
    """
    trainers = [participant for participant in participants if "train" in participant.functions]
    if len(trainers) == 0 or rounds < 1:
        raise BadRequest("A simulation requires a participant that trains and at least one round")
    finished: list[SimulatedRound] = []
    for number in range(1, rounds + 1):
        calls = _Calls(number, config or {})
        trained = [calls.train(participant, parameters) for participant in trainers]
        parameters = calls.aggregate(participants, [result for result, _ in trained], [weight for _, weight in trained])
        finished.append(calls.evaluate(participants, parameters))
    return finished


class _Calls:
    """Function calls of one round, with results checked the same way as in a served job."""

    def __init__(self, number: int, config: Mapping[str, Any]) -> None:
        self._number = number
        self._config = config

    def train(self, participant: Simulated, parameters: Optional[bytes]) -> tuple[bytes, float]:
        rows = participant.local_rows()
        fields, trained = self._call(participant.functions["train"], "train", rows, parameters, rows)
        return bytes(trained), float(fields.get("num_examples", len(rows) or 1))

    def aggregate(self, participants: Sequence[Simulated], results: list[bytes], weights: list[float]) -> bytes:
        own = next((each.functions["aggregate"] for each in participants if "aggregate" in each.functions), None)
        function = fed_avg_aggregate() if own is None else own
        _, aggregated = self._call(function, "aggregate", [], results, weights=weights)
        return bytes(aggregated)

    def evaluate(self, participants: Sequence[Simulated], parameters: bytes) -> SimulatedRound:
        accuracies: dict[int, float] = {}
        weights: list[float] = []
        for index, participant in enumerate(participants):
            if "evaluate" in participant.functions:
                rows = participant.local_rows()
                fields, _ = self._call(participant.functions["evaluate"], "evaluate", rows, parameters, rows)
                accuracies[index] = fields["accuracy"]
                weights.append(float(fields.get("num_examples", len(rows) or 1)))
        total = total_of(weights)
        products = [weight * accuracy for weight, accuracy in zip(weights, accuracies.values())]
        mean = total_of(products) / total if total > 0 else None
        return SimulatedRound(self._number, parameters, mean, accuracies)

    def _call(
        self, function: Handler, operation: str, rows: list[Row], *given: Any, weights: Optional[list[float]] = None
    ) -> tuple[dict[str, Any], Any]:
        context = Context(
            job_id=f"{RUN_ID}:{self._number}:{operation}",
            config=self._config,
            signal=Signal(),
            log=ConsoleLog(),
            read_rows=lambda: iter(rows),
            report=lambda progress: None,
            round=self._number,
            run_id=RUN_ID,
            weights=weights,
        )
        returned = function(*given, context) if takes_context(operation, function) else function(*given)
        if inspect.isawaitable(returned):
            returned = _wait_for(returned)
        return check_result(operation, returned)


def _wait_for(awaitable: Any) -> Any:
    # Imported here because most functions are synchronous, and importing asyncio costs memory and time.
    import asyncio

    async def wait() -> Any:
        return await awaitable

    return asyncio.run(wait())
