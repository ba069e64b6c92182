import fc from "fast-check";

const MANY = 20_000;

/** Values that can break parsers: wrong types, extremes, prototype names, and malformed text. */
export const hostileValues: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(
    null,
    true,
    0,
    -1,
    1.5,
    1e308,
    -1e308,
    Number.MAX_SAFE_INTEGER,
    2 ** 53,
    "",
    " ",
    "\u0000",
    "\ud800",
    "\udfff tail",
    "'; drop table api_keys; --",
    "{{constructor.constructor}}",
    "../../../../etc/passwd",
    "os.environ/HOME",
    "http://169.254.169.254/latest/meta-data/",
    "<script>alert(1)</script>",
    "x".repeat(MANY),
    "💥".repeat(600),
    [],
    {},
    [[[[[[[[]]]]]]]],
    { ["__proto__"]: { polluted: true } },
    { constructor: { prototype: { polluted: true } } },
    { toString: "x", valueOf: 1, hasOwnProperty: 2 },
    Object.fromEntries(Array.from({ length: 400 }, (_, index) => [`k${index}`, index])),
    Array.from({ length: 300 }, () => null),
  ),
  fc.jsonValue({ maxDepth: 3 }),
  fc.string({ unit: "binary", maxLength: 30 }),
);

interface Change {
  readonly place: number;
  readonly kind: "replace" | "remove" | "rename" | "repeat" | "wrap";
  readonly value: unknown;
}

/** Generates one to three changes to a valid value. */
export const changes: fc.Arbitrary<readonly Change[]> = fc.array(
  fc.record({
    place: fc.nat(10_000),
    kind: fc.constantFrom(
      "replace" as const,
      "replace" as const,
      "remove" as const,
      "rename" as const,
      "repeat" as const,
      "wrap" as const,
    ),
    value: hostileValues,
  }),
  { minLength: 1, maxLength: 3 },
);

/** Returns a changed copy of the value. */
export function applyChanges(original: unknown, wanted: readonly Change[]): unknown {
  const value = structuredClone(original);
  for (const change of wanted) {
    const places = listPlaces(value);
    const place = places[change.place % places.length];
    if (place !== undefined) applyChange(place.owner, place.name, change);
  }
  return value;
}

type Owner = Record<string, unknown>;

/** Lists the position of every member of all nested objects and lists. */
function listPlaces(value: unknown): { owner: Owner; name: string }[] {
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return [];
  const owner = value as Owner;
  return Object.keys(owner).flatMap((name) => [{ owner, name }, ...listPlaces(owner[name])]);
}

function applyChange(owner: Owner, name: string, { kind, value }: Change): void {
  const present = owner[name];
  switch (kind) {
    case "replace":
      // Insert a copy, because a later change may modify the value.
      owner[name] = structuredClone(value);
      break;
    case "remove":
      if (Array.isArray(owner)) owner.splice(Number(name), 1);
      else delete owner[name];
      break;
    case "rename":
      owner[`${name}s`] = present;
      delete owner[name];
      break;
    case "repeat":
      owner[name] = [present, present];
      break;
    case "wrap":
      owner[name] = { [name]: present };
      break;
  }
}
