"""Errors that a participant returns to its callers."""

from __future__ import annotations

from typing import Any, Mapping, Optional

PARTICIPANT_CODES: Mapping[str, int] = {
    "VALIDATION_ERROR": 400,
    "UNAUTHORIZED": 401,
    "NOT_FOUND": 404,
    "METHOD_NOT_ALLOWED": 405,
    "BUSY": 409,
    "CONFLICT": 409,
    "CANCELLED": 410,
    "PAYLOAD_TOO_LARGE": 413,
    "UNSUPPORTED_MEDIA_TYPE": 415,
    "INCOMPATIBLE_PARAMETERS": 422,
    "TOO_MANY_ATTEMPTS": 429,
    "HANDLER_ERROR": 500,
    "INVALID_RESULT": 500,
    "NOT_REGISTERED": 501,
    "SHUTTING_DOWN": 503,
    "HANDLER_TIMEOUT": 504,
}


class ParticipantFailure(Exception):
    """Refusal or failure that the caller receives as ``{"error", "code", "details"?, "jobId"?}``."""

    def __init__(
        self,
        code: str,
        message: str,
        details: Optional[Mapping[str, Any]] = None,
        job_id: Optional[str] = None,
        headers: Optional[Mapping[str, str]] = None,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.details = details
        self.job_id = job_id
        self.headers = dict(headers or {})
        # For the operator's log: the failing line in the user's code and the stack trace.
        self.origin: Optional[str] = None

    @property
    def status(self) -> int:
        """Return the HTTP status for the error code."""
        return PARTICIPANT_CODES[self.code]

    def copy(self, job_id: Optional[str] = None) -> ParticipantFailure:
        """Return a copy without the traceback, which would keep the raising function's local variables in memory."""
        copied = ParticipantFailure(self.code, self.message, self.details, job_id or self.job_id, self.headers)
        copied.origin = self.origin
        return copied

    def body(self) -> dict[str, Any]:
        """Return the JSON body for the caller."""
        body: dict[str, Any] = {"error": self.message, "code": self.code}
        if self.details is not None:
            body["details"] = dict(self.details)
        if self.job_id is not None:
            body["jobId"] = self.job_id
        return body


class BadRequest(ParticipantFailure):
    """Failure that a handler raises when a request is invalid. The caller receives status 400."""

    def __init__(self, message: str, details: Optional[Mapping[str, Any]] = None) -> None:
        super().__init__("VALIDATION_ERROR", message, details)


class IncompatibleParameters(ParticipantFailure):
    """Failure that a handler or helper raises when shapes or formats don't match. The caller receives status 422."""

    def __init__(self, message: str, details: Optional[Mapping[str, Any]] = None) -> None:
        super().__init__("INCOMPATIBLE_PARAMETERS", message, details)
