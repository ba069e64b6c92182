/** A JSON schema, or a part of one. */
export type Schema = Readonly<Record<string, unknown>>;

/** Maximum nesting depth of a schema. A deeper schema can't be enforced. */
const MAX_DEPTH = 64;

const kept = new Set(["$ref", "type", "title", "description", "default", "const", "enum", "required"]);
const named = new Set(["properties", "$defs", "definitions"]);
const listed = new Set(["anyOf", "allOf", "oneOf"]);
const formats = new Set("date-time time date duration email hostname uri ipv4 ipv6 uuid".split(" "));

/**
 * Adapts the schema so that the provider can enforce it. Disallows additional properties, and moves constraints that
 * can't be enforced to the description. Returns null if these changes would alter the schema's meaning.
 */
export function fitSchema(schema: Schema): Schema | null {
  return canBeFitted(schema, { root: schema, followed: new Set() }, 0) ? fit(schema) : null;
}

function fit(node: Schema): Schema {
  const fitted: Record<string, unknown> = {};
  const reported: string[] = [];
  for (const [name, value] of Object.entries(node)) {
    if (kept.has(name)) fitted[name] = value;
    else if (named.has(name)) fitted[name] = mapNamed(value as Schema);
    else if (listed.has(name)) fitted[name === "oneOf" ? "anyOf" : name] = (value as unknown[]).map(fitAny);
    else if (name === "items") fitted.items = fitAny(value);
    else if (name === "format" && formats.has(String(value))) fitted.format = value;
    else if (name !== "additionalProperties" && !name.startsWith("$"))
      reported.push(`${name}: ${JSON.stringify(value)}`);
  }
  if (node.type === "object" || node.properties !== undefined) fitted.additionalProperties = false;
  if (reported.length === 0) return fitted;
  const { description } = fitted;
  return {
    ...fitted,
    description: [...(typeof description === "string" ? [description] : []), ...reported].join("\n"),
  };
}

function fitAny(node: unknown): unknown {
  return isSchema(node) ? fit(node) : node;
}

function mapNamed(nodes: Schema): Schema {
  return Object.fromEntries(Object.entries(nodes).map(([name, node]) => [name, fitAny(node)]));
}

interface Walk {
  readonly root: Schema;
  /** References that have been followed to the end. A cyclic reference has no end, so the depth limit detects it. */
  readonly followed: Set<string>;
}

function canBeFitted(node: unknown, walk: Walk, depth: number): boolean {
  if (!isSchema(node)) return true;
  if (depth > MAX_DEPTH || isOpen(node) || (node.anyOf !== undefined && node.oneOf !== undefined)) return false;
  if (node.$ref !== undefined && !canFollow(String(node.$ref), walk, depth)) return false;
  for (const [name, value] of Object.entries(node)) {
    const inner = named.has(name) && isSchema(value) ? Object.values(value) : listed.has(name) ? value : null;
    if (named.has(name) || listed.has(name)) {
      if (!Array.isArray(inner) || !inner.every((item) => canBeFitted(item, walk, depth + 1))) return false;
    } else if (name === "items" && !canBeFitted(value, walk, depth + 1)) return false;
  }
  return true;
}

/** Reports whether a reference leads to a definition in the schema itself and isn't cyclic. */
function canFollow(reference: string, walk: Walk, depth: number): boolean {
  if (walk.followed.has(reference)) return true;
  const [, place, name] = /^#\/(\$defs|definitions)\/([^/]+)$/.exec(reference) ?? [];
  if (place === undefined || name === undefined) return false;
  const definitions = walk.root[place];
  if (!isSchema(definitions) || !Object.hasOwn(definitions, name)) return false;
  if (!canBeFitted(definitions[name], walk, depth + 1)) return false;
  walk.followed.add(reference);
  return true;
}

/**
 * Reports whether an object may have members that the schema doesn't name. If additional properties were disallowed,
 * such an object could only be empty.
 */
function isOpen({ type, properties, additionalProperties, patternProperties }: Schema): boolean {
  if (patternProperties !== undefined || additionalProperties === true || isSchema(additionalProperties)) return true;
  const isObject = type === "object" || (Array.isArray(type) && type.includes("object"));
  return isObject && properties === undefined && additionalProperties !== false;
}

function isSchema(value: unknown): value is Schema {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
