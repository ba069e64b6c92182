import base64
import json
from typing import Any


class Json(str):
    """JSON-encoded text, like Prisma's own type."""

    def __new__(cls, data: Any) -> "Json":
        return super().__new__(cls, json.dumps(data))


class Base64(str):
    @classmethod
    def encode(cls, value: bytes) -> "Base64":
        return cls(base64.b64encode(value).decode())
