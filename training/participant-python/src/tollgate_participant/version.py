"""Versions of the API and the SDK."""

from __future__ import annotations

API_VERSION = "1"
SDK_VERSION = "0.2.0"
