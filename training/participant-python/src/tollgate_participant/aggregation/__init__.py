"""Aggregation methods. Results are bit-identical to those of the TypeScript SDK."""
