import Type from "typebox";
import { describe, expect, test } from "vitest";
import { Nullable } from "../nullable.ts";
import { compileCheck } from "./compile-check.ts";
import { listProblems, type ProblemSlug } from "./list-problems.ts";

const problemsOf = (schema: object, value: unknown) =>
  listProblems(schema, value, ["body"]).map(({ loc, type }) => `${loc.join(".")} ${type}`);

describe("each type of problem has its own slug", () => {
  const rows: readonly [string, object, unknown, ProblemSlug][] = [
    ["a number for a string", Type.String(), 1, "string_type"],
    ["a string too short", Type.String({ minLength: 2 }), "a", "too_short"],
    ["a string too long", Type.String({ maxLength: 2 }), "abc", "too_long"],
    ["a string of another form", Type.String({ pattern: "^a+$" }), "b", "string_pattern_mismatch"],
    ["a fraction for an integer", Type.Integer(), 1.5, "int_parsing"],
    ["a string for an integer", Type.Integer(), "1", "int_parsing"],
    ["a string for a number", Type.Number(), "1", "float_parsing"],
    ["an endless number", Type.Number(), Number.POSITIVE_INFINITY, "float_parsing"],
    ["a number too small", Type.Number({ minimum: 0 }), -1, "greater_than_equal"],
    ["a number too large", Type.Integer({ maximum: 2 }), 3, "less_than_equal"],
    ["a string for a boolean", Type.Boolean(), "true", "bool_parsing"],
    ["an object for a list", Type.Array(Type.String()), {}, "list_type"],
    ["too few items", Type.Array(Type.String(), { minItems: 1 }), [], "too_short"],
    ["too many items", Type.Array(Type.String(), { maxItems: 1 }), ["a", "b"], "too_long"],
    ["a list for an object", Type.Object({}), [], "dict_type"],
    ["null for an object", Type.Object({}), null, "dict_type"],
    ["too many entries", Type.Object({}, { maxProperties: 1 }), { a: 1, b: 2 }, "too_long"],
    ["another literal", Type.Literal("a"), "b", "literal_error"],
    ["none of some literals", Type.Union([Type.Literal("a"), Type.Literal("b")]), "c", "literal_error"],
    ["something for null", Type.Null(), 0, "literal_error"],
  ];
  test.for(rows)("%s", ([, schema, value, slug]) => {
    expect(problemsOf(schema, value)).toEqual([`body ${slug}`]);
    expect(compileCheck(schema as Type.TSchema)(value)).toBe(false);
  });
});

describe("problem locations", () => {
  const schema = Type.Object({
    name: Type.String(),
    tags: Type.Array(Type.String()),
    limits: Type.Object({}, { additionalProperties: Type.Number({ maximum: 1 }) }),
  });

  test("include the field, item, and entry", () => {
    expect(problemsOf(schema, { tags: ["a", 1, "b", null], limits: { x: 2, y: 1 } })).toEqual([
      "body.name missing",
      "body.tags.1 string_type",
      "body.tags.3 string_type",
      "body.limits.x less_than_equal",
    ]);
  });

  test("include an entry whose name is invalid", () => {
    const named = Type.Object({}, { propertyNames: Type.String({ minLength: 1, maxLength: 3 }) });
    expect(problemsOf(named, { good: 1, "": 1, all: 1 })).toEqual(["body.good too_long", "body. too_short"]);
    expect(compileCheck(named)({ good: 1 })).toBe(false);
    expect(compileCheck(named)({ all: 1 })).toBe(true);
  });

  test("contain indexes as numbers, so that clients can locate the value in the body", () => {
    const [problem] = listProblems(schema, { name: "", tags: [1], limits: {} }, ["body"]);
    expect(problem).toEqual({ loc: ["body", "tags", 0], msg: "Input should be a valid string", type: "string_type" });
  });

  test("start with the caller's prefix", () => {
    expect(listProblems(Type.Boolean(), "maybe", ["query", "scope"])[0]?.loc).toEqual(["query", "scope"]);
  });
});

describe("a problem in a union", () => {
  const part = Type.Union(
    [
      Type.Object({ type: Type.Literal("text"), text: Type.String() }),
      Type.Object({ type: Type.Literal("image"), url: Type.String({ minLength: 1 }) }),
    ],
    { discriminator: "type" },
  );

  test.for([
    [{ type: "image", url: "" }, "body.url too_short"],
    [{ type: "text" }, "body.text missing"],
    [{ type: "video" }, "body.type union_tag_invalid"],
    [{ type: null }, "body.type union_tag_invalid"],
    [{}, "body.type missing"],
    ["text", "body dict_type"],
    [[], "body dict_type"],
  ] as const)("is described by the variant that the tag selects: %j", ([value, problem]) => {
    expect(problemsOf(part, value)).toEqual([problem]);
  });

  test.for([
    [Nullable(Type.Number({ maximum: 2 })), 3, "body less_than_equal"],
    [Nullable(Type.Integer({ maximum: 2 })), 3, "body less_than_equal"],
    [Nullable(Type.Integer({ maximum: 2 })), "x", "body int_parsing"],
    [Type.Union([Type.String(), Type.Array(Type.String())]), ["a", 1], "body.1 string_type"],
    [Type.Union([Type.String(), Type.Array(Type.String())]), 1, "body string_type"],
    [Type.Union([Type.Union([Type.Literal("a")]), Type.Object({ n: Type.String() })]), "b", "body literal_error"],
    [Type.Union([Type.Union([Type.Literal("a")]), Type.Object({ n: Type.String() })]), {}, "body.n missing"],
  ] as const)("is described by the variant with the value's type: %#", ([schema, value, problem]) => {
    expect(problemsOf(schema, value)).toEqual([problem]);
  });

  test("is described by all literals except null", () => {
    const [problem] = listProblems(Nullable(Type.Union([Type.Literal("low"), Type.Literal("high")])), "mid", ["body"]);
    expect(problem?.msg).toContain("'low', 'high'");
  });

  test("is not reported if one variant accepts the value", () => {
    expect(problemsOf(Type.Union([Type.String(), Type.Null()]), null)).toEqual([]);
    expect(problemsOf(part, { type: "text", text: "" })).toEqual([]);
  });
});

test("lists every problem, up to a hundred", () => {
  const schema = Type.Array(Type.String());
  expect(listProblems(schema, Array(99).fill(1), ["body"])).toHaveLength(99);
  expect(listProblems(schema, Array(10_000).fill(1), ["body"])).toHaveLength(100);
});

test("length limits count characters, not code units", () => {
  const schema = Type.String({ maxLength: 2 });
  expect(problemsOf(schema, "😀😀")).toEqual([]);
  expect(problemsOf(schema, "😀😀😀")).toEqual(["body too_long"]);
});
