"""Client connection and table operations."""

import json
import os
from contextlib import asynccontextmanager
from datetime import datetime, timezone
from pathlib import Path
from typing import Any
from uuid import uuid4

import asyncpg
import litellm_proxy_extras
from pydantic import BaseModel, ConfigDict

from . import errors
from .conditions import Conditions, quote
from .schema import Model, read_schema

MODELS = read_schema(Path(litellm_proxy_extras.__file__).parent / "schema.prisma")


class Row(BaseModel):
    model_config = ConfigDict(extra="allow", protected_namespaces=())


class Prisma:
    def __init__(self, **_: Any) -> None:
        self._pool: asyncpg.Pool | None = None
        self._engine = None

    def is_connected(self) -> bool:
        return self._pool is not None

    async def connect(self, *_: Any, **__: Any) -> None:
        url = os.environ["DATABASE_URL"]
        self._pool = await asyncpg.create_pool(url, min_size=1, max_size=4, init=prepare_connection)

    async def disconnect(self, *_: Any, **__: Any) -> None:
        if self._pool is not None:
            await self._pool.close()
            self._pool = None

    async def query_raw(self, query: str, *arguments: Any, model: Any = None) -> list[Any]:
        rows = [clean(dict(row)) for row in await self.run(query, *arguments)]
        return [model(**row) for row in rows] if model else rows

    async def query_first(self, query: str, *arguments: Any, model: Any = None) -> Any:
        rows = await self.query_raw(query, *arguments, model=model)
        return rows[0] if rows else None

    async def execute_raw(self, query: str, *arguments: Any) -> int:
        await self.run(query, *arguments)
        return 0

    async def run(self, query: str, *arguments: Any) -> list[asyncpg.Record]:
        if self._pool is None:
            raise errors.ClientNotConnectedError("not connected")
        try:
            return await self._pool.fetch(query, *arguments)
        except asyncpg.UniqueViolationError as error:
            raise errors.UniqueViolationError(str(error)) from error
        except asyncpg.ForeignKeyViolationError as error:
            raise errors.ForeignKeyViolationError(str(error)) from error

    @asynccontextmanager
    async def tx(self, **_: Any):  # no real transaction, because the setup writes sequentially
        yield self

    def batch_(self) -> "Batch":
        return Batch(self)

    def __getattr__(self, name: str) -> "Table":
        if name.startswith("_") or name not in MODELS:
            raise AttributeError(name)
        return Table(self, MODELS[name])


class Batch:
    def __init__(self, db: Prisma) -> None:
        self.db = db
        self.waiting: list[Any] = []

    async def __aenter__(self) -> "Batch":
        return self

    async def __aexit__(self, *_: Any) -> None:
        await self.commit()

    async def commit(self) -> None:
        for name, method, arguments, named in self.waiting:
            await getattr(getattr(self.db, name), method)(*arguments, **named)
        self.waiting = []

    def __getattr__(self, name: str) -> "Later":
        return Later(self, name)


class Later:
    def __init__(self, batch: Batch, name: str) -> None:
        self.batch, self.name = batch, name

    def __getattr__(self, method: str):
        return lambda *args, **named: self.batch.waiting.append((self.name, method, args, named))


class Table:
    def __init__(self, db: Prisma, model: Model) -> None:
        self.db, self.model, self.name = db, model, quote(model.name)

    async def find_many(self, where=None, include=None, order=None, take=None, skip=None, **_: Any) -> list[Row]:
        conditions = Conditions(self.model)
        query = f"select * from {self.name} where {conditions.text(where or {})}"
        orders = order if isinstance(order, list) else [order] if order else []
        if orders:
            query += " order by " + ", ".join(
                f"{quote(self.model.columns[name])} {way}" for entry in orders for name, way in entry.items()
            )
        if take is not None:
            query += f" limit {int(take)}"
        if skip is not None:
            query += f" offset {int(skip)}"
        rows = await self.db.run(query, *conditions.values)
        return [await self.present(row, include) for row in rows]

    async def find_first(self, where=None, **named: Any) -> Row | None:
        found = await self.find_many(where, **{**named, "take": 1})
        return found[0] if found else None

    async def find_unique(self, where=None, include=None, **_: Any) -> Row | None:
        return await self.find_first(where, include=include)

    async def count(self, where=None, **_: Any) -> int:
        return len(await self.find_many(where))

    async def create(self, data: dict, include=None) -> Row:
        values = await self.flatten(data)
        for name in self.model.made_uuids:
            values.setdefault(name, str(uuid4()))
        for name in self.model.touched:
            values.setdefault(name, datetime.now(timezone.utc))
        columns = ", ".join(quote(self.model.columns[name]) for name in values) or quote("created_at")
        rows = await self.db.run(
            f"insert into {self.name} ({columns}) select {columns} from "
            f"jsonb_populate_record(null::{self.name}, $1::jsonb) returning *",
            self.encode(values),
        )
        return await self.present(rows[0], include)

    async def create_many(self, data: list[dict], skip_duplicates: bool = False, **_: Any) -> int:
        for entry in data:
            try:
                await self.create(entry)
            except errors.UniqueViolationError:
                if not skip_duplicates:
                    raise
        return len(data)

    async def update_many(self, data: dict, where: dict) -> int:
        values = await self.flatten(data)
        for name in self.model.touched:
            values.setdefault(name, datetime.now(timezone.utc))
        conditions = Conditions(self.model)
        plain = {name: value for name, value in values.items() if not is_step(value)}
        given = conditions.add(self.encode(plain)) if plain else ""
        changes = []
        for name, value in values.items():
            column = quote(self.model.columns[name])
            new = f"(jsonb_populate_record(null::{self.name}, {given}::jsonb)).{column}"
            if isinstance(value, dict) and "increment" in value:
                new = f"coalesce({column}, 0) + {float(value['increment'])}"
            elif isinstance(value, dict) and "push" in value:
                pushed = value["push"] if isinstance(value["push"], list) else [value["push"]]
                new = f"{column} || (select array_agg(v) from jsonb_array_elements_text({conditions.add(json.dumps(pushed))}::jsonb) v)"
            changes.append(f"{column} = {new}")
        rows = await self.db.run(
            f"update {self.name} set {', '.join(changes)} where {conditions.text(where)} returning 1",
            *conditions.values,
        )
        return len(rows)

    async def update(self, data: dict, where: dict, include=None) -> Row | None:
        await self.update_many(data, where)
        return await self.find_first(where, include=include)

    async def upsert(self, where: dict, data: dict, include=None) -> Row | None:
        if await self.find_first(where) is None:
            return await self.create(data["create"], include)
        if not data["update"]:
            return await self.find_first(where, include=include)
        return await self.update(data["update"], where, include)

    async def delete_many(self, where=None) -> int:
        conditions = Conditions(self.model)
        rows = await self.db.run(
            f"delete from {self.name} where {conditions.text(where or {})} returning 1", *conditions.values
        )
        return len(rows)

    async def delete(self, where: dict, include=None) -> Row | None:
        row = await self.find_first(where, include=include)
        await self.delete_many(where)
        return row

    async def flatten(self, data: dict) -> dict[str, Any]:
        """Replace relation fields with the columns that reference the related rows."""
        values: dict[str, Any] = {}
        for name, value in data.items():
            relation = self.model.relations.get(name)
            if relation is None:
                values[name] = value["set"] if isinstance(value, dict) and list(value) == ["set"] else value
            elif "connect" in value:
                values |= {own: value["connect"][other] for own, other in zip(relation.own, relation.other)}
            elif value.get("disconnect") is True:
                values |= {own: None for own in relation.own}
            elif "create" in value and not relation.is_list:
                made = await Table(self.db, MODELS[relation.model.lower()]).create(value["create"])
                values |= {own: getattr(made, other) for own, other in zip(relation.own, relation.other)}
            else:
                raise errors.InputError(f"{self.model.name}.{name}: {list(value)} is not supported")
        return values

    def encode(self, values: dict[str, Any]) -> str:
        columns = {self.model.columns[name]: decode_json(value) for name, value in values.items()}
        return json.dumps(columns, default=lambda value: value.isoformat())

    async def present(self, record: asyncpg.Record, include: dict | None) -> Row:
        values = clean(dict(record))
        row = {name: values.get(column) for name, column in self.model.columns.items()}
        for name, relation in self.model.relations.items():
            wanted = (include or {}).get(name)
            if not wanted:
                row[name] = None
                continue
            where = {other: row[own] for own, other in zip(relation.own, relation.other)}
            table = Table(self.db, MODELS[relation.model.lower()])
            deeper = wanted.get("include") if isinstance(wanted, dict) else None
            if relation.is_list:
                row[name] = await table.find_many(where, include=deeper)
            else:
                has_none = any(value is None for value in where.values())
                row[name] = None if has_none else await table.find_first(where, include=deeper)
        return Row(**row)


def is_step(value: Any) -> bool:
    """Return whether the value describes a change to the column, not its new value."""
    return isinstance(value, dict) and ("increment" in value or "push" in value)


def decode_json(value: Any) -> Any:
    """Decode JSON text. LiteLLM passes JSON as text, and its text values never start with a brace or bracket."""
    if isinstance(value, str) and value[:1] in ("{", "["):
        return json.loads(value)
    return value


def clean(row: dict[str, Any]) -> dict[str, Any]:
    return {
        name: value.replace(tzinfo=timezone.utc) if isinstance(value, datetime) and value.tzinfo is None else value
        for name, value in row.items()
    }


async def prepare_connection(connection: asyncpg.Connection) -> None:
    await connection.execute("set timezone to 'UTC'")
    for kind in ("json", "jsonb"):
        await connection.set_type_codec(kind, encoder=str, decoder=json.loads, schema="pg_catalog")
