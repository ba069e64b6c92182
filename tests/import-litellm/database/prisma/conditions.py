"""Conversion of Prisma conditions to SQL."""

import json
from datetime import datetime
from typing import Any

from .schema import Model

COMPARISONS = {"lt": "<", "lte": "<=", "gt": ">", "gte": ">=", "equals": "="}


def quote(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


class Conditions:
    def __init__(self, model: Model) -> None:
        self.model = model
        self.values: list[Any] = []

    def add(self, value: Any) -> str:
        self.values.append(value)
        return f"${len(self.values)}"

    def text(self, where: dict) -> str:
        parts = [self.part(name, value) for name, value in where.items()]
        return " and ".join(parts) or "true"

    def part(self, name: str, value: Any) -> str:
        if name in ("AND", "OR"):
            each = [f"({self.text(entry)})" for entry in (value if isinstance(value, list) else [value])]
            return "(" + (" and " if name == "AND" else " or ").join(each or ["true"]) + ")"
        if name == "NOT":
            return f"not ({self.text(value if isinstance(value, dict) else {'OR': value})})"
        if name not in self.model.columns and isinstance(value, dict):
            return self.text(value)  # a composite key, named after its joined columns
        column = quote(self.model.columns[name])
        if value is None:
            return f"{column} is null"
        if not isinstance(value, dict):
            return f"{column} = {self.typed(column, value)}"
        return " and ".join(self.compare(column, sign, operand) for sign, operand in value.items() if sign != "mode")

    def compare(self, column: str, sign: str, operand: Any) -> str:
        if sign == "in":
            return "(" + (" or ".join(f"{column} = {self.typed(column, one)}" for one in operand) or "false") + ")"
        if sign in ("not", "not_in", "notIn"):
            if operand is None:
                return f"{column} is not null"
            return f"{column} is distinct from {self.typed(column, operand)}"
        if sign in COMPARISONS:
            return f"{column} {COMPARISONS[sign]} {self.typed(column, operand)}"
        if sign == "contains":
            return f"{column}::text ilike '%' || {self.add(operand)}::text || '%'"
        if sign in ("has", "hasSome"):
            one = operand if isinstance(operand, list) else [operand]
            return f"{column} && (select array_agg(v) from jsonb_array_elements_text({self.add(json.dumps(one))}::jsonb) v)"
        raise NotImplementedError(f"{self.model.name}: {sign}")

    def typed(self, column: str, value: Any) -> str:
        """Return SQL that lets PostgreSQL convert the value to the column's type."""
        shown = value.isoformat() if isinstance(value, datetime) else value
        given = self.add(json.dumps({column.strip('"'): shown}))
        return f"(jsonb_populate_record(null::{quote(self.model.name)}, {given}::jsonb)).{column}"
