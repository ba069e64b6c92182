"""Loopback address detection."""

from __future__ import annotations

import ipaddress


def is_loopback(host: str) -> bool:
    """Return whether an IP address or host name refers to the loopback interface."""
    bare = host.strip("[]")
    if bare == "localhost" or bare.endswith(".localhost"):
        return True
    try:
        address = ipaddress.ip_address(bare)
    except ValueError:
        return False
    mapped = getattr(address, "ipv4_mapped", None)
    return bool((mapped or address).is_loopback)
