"""Participant settings, read once from options and environment variables and then validated."""

from __future__ import annotations

import hashlib
import os
import ssl
from dataclasses import dataclass
from typing import Any, Mapping, Optional, Sequence, Union

from .console_log import ConsoleLog
from .datasets.dataset_registry import DatasetRegistry
from .handlers import OPERATIONS, Logger
from .loopback import is_loopback

MEBIBYTE = 1024 * 1024
SHORTEST_TOKEN = 16
MOST_SECONDS = 2_000_000
MAX_SECONDS = {"train": 86_400.0, "evaluate": 3600.0, "aggregate": 3600.0}


@dataclass(frozen=True)
class Settings:
    """Validated settings of a participant."""

    host: str
    port: int
    # SHA-256 of each token. Hashes have equal lengths, and the plain tokens aren't stored.
    token_hashes: Sequence[bytes]
    insecure: bool
    datasets: DatasetRegistry
    max_json_bytes: int
    max_frame_bytes: int
    max_entries: int
    memory_bytes: int
    max_stored_bytes: int
    max_connections: int
    slots: Mapping[str, int]
    shares_slots: bool
    max_queue: int
    max_seconds: Mapping[str, float]
    grace_seconds: float
    drain_seconds: float
    retention_seconds: float
    force_exit: bool
    expose_errors: bool
    tls: Optional[ssl.SSLContext]
    serves_call: bool
    logger: Logger
    spool_folder: Optional[str]


def read_settings(options: Mapping[str, Any], environment: Mapping[str, str]) -> Settings:
    """Read and validate all settings. Error messages name the invalid setting but never include a token."""
    given = _Options(options)
    slots = _Options(given.take("slots", {}), "slots.")
    settings = Settings(
        host=given.take("host", environment.get("HOST") or "127.0.0.1"),
        port=_read_port(given.take("port", None), environment.get("PORT")),
        token_hashes=_hash_tokens(given.take("token", environment.get("PARTICIPANT_TOKEN"))),
        insecure=given.flag("insecure"),
        datasets=DatasetRegistry(
            given.take("dataset", environment.get("DATASET_PATH") or None), given.take("datasets", {})
        ),
        max_json_bytes=given.integer("max_json_bytes", 256 * MEBIBYTE, 1),
        max_frame_bytes=given.integer("max_frame_bytes", 8192 * MEBIBYTE, 1),
        max_entries=given.integer("max_entries", 1000, 1),
        memory_bytes=given.integer("memory_bytes", 64 * MEBIBYTE, 0),
        max_stored_bytes=given.integer("max_stored_bytes", 16_384 * MEBIBYTE, 0),
        max_connections=given.integer("max_connections", 128, 1),
        slots={operation: slots.integer(operation, 1, 1) for operation in OPERATIONS},
        shares_slots=bool(slots.take("shared", True)),
        max_queue=given.integer("max_queue", 0, 0),
        max_seconds=_read_max_seconds(given.take("max_seconds", {})),
        grace_seconds=given.seconds("grace_seconds", 10.0),
        drain_seconds=given.seconds("drain_seconds", 30.0),
        retention_seconds=given.seconds("retention_seconds", 3600.0),
        force_exit=given.flag("force_exit"),
        expose_errors=given.flag("expose_errors"),
        tls=_read_tls(given.take("tls", None)),
        serves_call=bool(dict(given.take("compat", {})).get("call", False)),
        logger=given.take("logger", None) or ConsoleLog(),
        spool_folder=given.take("spool_folder", None),
    )
    given.refuse_unknown()
    slots.refuse_unknown()
    return settings


def check_exposure(settings: Settings) -> None:
    """Raise ValueError if the participant would be reachable over the network without a token."""
    if settings.token_hashes or settings.insecure or is_loopback(settings.host):
        return
    raise ValueError(
        f"refusing to listen on {settings.host} without a token: set PARTICIPANT_TOKEN (at least {SHORTEST_TOKEN} "
        "characters), listen on 127.0.0.1, or set insecure=True"
    )


class _Options:
    """Option reader that removes each option it reads, so that the remaining ones are unknown options."""

    def __init__(self, options: Mapping[str, Any], prefix: str = "") -> None:
        self._left = dict(options)
        self._prefix = prefix

    def take(self, name: str, otherwise: Any) -> Any:
        value = self._left.pop(name, None)
        return otherwise if value is None else value

    def flag(self, name: str) -> bool:
        return bool(self.take(name, False))

    def integer(self, name: str, otherwise: int, lowest: int) -> int:
        value = self.take(name, otherwise)
        if not isinstance(value, int) or isinstance(value, bool) or value < lowest:
            raise ValueError(f"{self._prefix}{name} must be an integer of at least {lowest}")
        return value

    def seconds(self, name: str, otherwise: float) -> float:
        return _seconds(self._prefix + name, self.take(name, otherwise))

    def refuse_unknown(self) -> None:
        for name in self._left:
            raise TypeError(f"unknown option {self._prefix}{name}")


def _seconds(name: str, value: Any) -> float:
    if not isinstance(value, (int, float)) or isinstance(value, bool) or not 0 <= value <= MOST_SECONDS:
        raise ValueError(f"{name} must be 0 to {MOST_SECONDS} seconds")
    return float(value)


def _read_port(option: Any, variable: Optional[str]) -> int:
    chosen = option if option is not None else (variable or "5000")
    try:
        port = int(chosen)
    except (TypeError, ValueError):
        port = -1
    if not 0 <= port <= 65_535:
        raise ValueError("port (PORT) must be 0 to 65535")
    return port


def _hash_tokens(given: Union[None, str, Sequence[str]]) -> list[bytes]:
    parts = given.split(",") if isinstance(given, str) else (given or [])
    tokens = [token.strip() for token in parts if token.strip()]
    if any(len(token) < SHORTEST_TOKEN for token in tokens):
        raise ValueError(f"each token (PARTICIPANT_TOKEN) must have at least {SHORTEST_TOKEN} characters")
    if any(not token.isascii() or not token.isprintable() or " " in token for token in tokens):
        raise ValueError("each token (PARTICIPANT_TOKEN) must be printable ASCII without spaces")
    return [hashlib.sha256(token.encode()).digest() for token in tokens]


def _read_max_seconds(given: Any) -> Mapping[str, float]:
    chosen = dict(given) if isinstance(given, Mapping) else dict.fromkeys(OPERATIONS, given)
    return {
        operation: _seconds(f"max_seconds.{operation}", chosen.get(operation, MAX_SECONDS[operation]))
        for operation in OPERATIONS
    }


def _read_tls(given: Any) -> Optional[ssl.SSLContext]:
    """Return the given context, or create one from ``{"cert": file, "key": file, "client_ca": file}``."""
    if given is None or isinstance(given, ssl.SSLContext):
        return given
    files: Mapping[str, Union[str, os.PathLike[str]]] = given
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    context.load_cert_chain(files["cert"], files["key"])
    if files.get("client_ca") is not None:
        context.load_verify_locations(files["client_ca"])
        context.verify_mode = ssl.CERT_REQUIRED
    return context
