"""Conversion of parameter bytes to and from named tensors. Readers never execute code from their input."""
