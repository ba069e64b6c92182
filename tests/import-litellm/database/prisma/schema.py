"""Parser for LiteLLM's schema.prisma that extracts relations and the defaults that Prisma's engine applies."""

import re
from dataclasses import dataclass, field
from pathlib import Path


@dataclass
class Relation:
    model: str
    is_list: bool
    own: list[str] = field(default_factory=list)
    other: list[str] = field(default_factory=list)


@dataclass
class Model:
    name: str
    columns: dict[str, str] = field(default_factory=dict)  # field name to column name
    relations: dict[str, Relation] = field(default_factory=dict)
    made_uuids: list[str] = field(default_factory=list)
    touched: list[str] = field(default_factory=list)


FIELD = re.compile(r"^\s*(\w+)\s+(\w+)(\[\]|\?)?\s*(.*)$")


def read_schema(path: Path) -> dict[str, Model]:
    text = re.sub(r"//.*", "", path.read_text())
    blocks = re.findall(r"^model (\w+) \{(.*?)^\}", text, re.S | re.M)
    names = {name for name, _ in blocks}
    models = {name: read_model(name, body, names) for name, body in blocks}
    for model in models.values():
        for relation in model.relations.values():
            if relation.own or not relation.model:
                continue
            for back in models[relation.model].relations.values():
                if back.model == model.name and back.own:
                    relation.own, relation.other = back.other, back.own
                    break
    return {name.lower(): model for name, model in models.items()}


def read_model(name: str, body: str, names: set[str]) -> Model:
    model = Model(name)
    for line in body.splitlines():
        found = FIELD.match(line)
        if found is None or line.strip().startswith("@@"):
            continue
        member, kind, sign, rest = found.groups()
        if kind in names:
            own = re.search(r"fields:\s*\[([^\]]*)\]", rest)
            other = re.search(r"references:\s*\[([^\]]*)\]", rest)
            model.relations[member] = Relation(kind, sign == "[]", split(own), split(other))
            continue
        mapped = re.search(r'@map\("([^"]+)"\)', rest)
        model.columns[member] = mapped.group(1) if mapped else member
        if "uuid()" in rest:
            model.made_uuids.append(member)
        if "@updatedAt" in rest:
            model.touched.append(member)
    return model


def split(found: re.Match[str] | None) -> list[str]:
    return [part.strip() for part in found.group(1).split(",")] if found else []
