"""Parameter formats: bytes on the wire, named tensors in memory. Nothing here executes what it reads."""
