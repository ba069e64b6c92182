"""SDK for federated training participants: register three functions, then call ``run``."""

from __future__ import annotations

from .aggregation.fed_avg_aggregate import fed_avg_aggregate
from .aggregation.krum import krum, multi_krum
from .aggregation.mean import fed_avg, fed_avg_delta
from .aggregation.noise import add_gaussian_noise
from .aggregation.norms import clip_norm, cosine
from .aggregation.robust import median, trimmed_mean
from .default_participant import register_aggregate, register_evaluate, register_train, run
from .failures import BadRequest, IncompatibleParameters, ParticipantFailure
from .formats.numpy_arrays import from_numpy, to_numpy
from .formats.parameters import detect_format, read_tensors, write_tensors
from .formats.tensor_set import Tensor, TensorSet
from .handlers import AggregateResult, Context, EvaluateResult, TrainResult
from .participant import Participant, RunningParticipant
from .simulate import SimulatedRound, simulate
from .version import SDK_VERSION as __version__

__all__ = [
    "AggregateResult",
    "BadRequest",
    "Context",
    "EvaluateResult",
    "IncompatibleParameters",
    "Participant",
    "ParticipantFailure",
    "RunningParticipant",
    "SimulatedRound",
    "Tensor",
    "TensorSet",
    "TrainResult",
    "__version__",
    "add_gaussian_noise",
    "clip_norm",
    "cosine",
    "detect_format",
    "fed_avg",
    "fed_avg_aggregate",
    "fed_avg_delta",
    "from_numpy",
    "krum",
    "median",
    "multi_krum",
    "read_tensors",
    "register_aggregate",
    "register_evaluate",
    "register_train",
    "run",
    "simulate",
    "to_numpy",
    "trimmed_mean",
    "write_tensors",
]
