import Type from "typebox";
import { describe, expect, test } from "vitest";
import { Failure } from "../failures.ts";
import { nullable } from "./fields.ts";
import { pageFields, repeatable, sortBy } from "./lists.ts";
import { AmountInput } from "./money.ts";
import { parseBody } from "./parse-body.ts";
import { createBodyReader, createQueryReader } from "./read-request.ts";

const checkBody = createBodyReader(
  Type.Object({
    amount: AmountInput,
    name: Type.Optional(Type.String({ minLength: 1 })),
    budget: Type.Optional(nullable(Type.Object({ limit: nullable(AmountInput) }))),
  }),
);
const readBody = (text: string) => checkBody(parseBody(text));

function reasonOf(work: () => unknown): string | null {
  try {
    work();
    return null;
  } catch (error) {
    return (error as Failure).code;
  }
}

describe("an amount in a request body", () => {
  test.each([
    ["0", 0n],
    ["9007199254740991", 9_007_199_254_740_991n],
    ['"9007199254740993"', 9_007_199_254_740_993n],
    ['"-1"', -1n],
    ['"9223372036854775807"', 9_223_372_036_854_775_807n],
  ])("is read exactly: %s", (text, amount) => {
    expect(readBody(`{"amount": ${text}}`)).toEqual({ amount });
  });

  test.each(["9007199254740993", "1.5", "1e3", "1.0", "1E+2", '"1.5"', '"1e3"', '" 1"', '""', '"9223372036854775808"'])(
    "is rejected if its exact value is ambiguous: %s",
    (text) => {
      expect(reasonOf(() => readBody(`{"amount": ${text}}`))).toBe("AMOUNT_NOT_EXACT");
    },
  );

  test("follows the same rule inside a nested object", () => {
    expect(readBody('{"amount": 1, "budget": {"limit": "5"}}')).toEqual({ amount: 1n, budget: { limit: 5n } });
    expect(readBody('{"amount": 1, "budget": {"limit": null}}')).toEqual({ amount: 1n, budget: { limit: null } });
    expect(reasonOf(() => readBody('{"amount": 1, "budget": {"limit": 1e3}}'))).toBe("AMOUNT_NOT_EXACT");
  });
});

test("a body keeps only the fields in its schema", () => {
  expect(readBody('{"amount": 1, "role": "admin"}')).toEqual({ amount: 1n });
  expect(reasonOf(() => readBody('{"amount": 1, "__proto__": {"x": 1}}'))).toBe("INVALID_JSON");
});

test("the error for an invalid body lists every invalid field", () => {
  try {
    readBody('{"name": "", "budget": 3}');
    expect.unreachable();
  } catch (error) {
    expect(error).toBeInstanceOf(Failure);
    expect(Object.keys((error as Failure).facts.publicDetails?.fields as object).sort()).toEqual([
      "amount",
      "budget",
      "name",
    ]);
  }
});

test.each(["", "[]", "null", "3", "{", '{"amount": 1}}'])("rejects %j, which is not a JSON object", (text) => {
  expect(reasonOf(() => readBody(text))).toBe("INVALID_JSON");
});

test.each(["\\u0000", "a\\ud800", "\\udc00b"])("rejects the text %s, which cannot be stored", (text) => {
  expect(reasonOf(() => readBody(`{"amount": 1, "name": "${text}"}`))).toBe("INVALID_FIELD");
});

describe("query parameters", () => {
  const readQuery = createQueryReader(
    Type.Object({
      ...pageFields,
      sort: sortBy(["name", "createdAt"], "-createdAt"),
      status: Type.Optional(repeatable(Type.String())),
      isOpen: Type.Optional(Type.Boolean()),
    }),
  );

  test("have defaults, and unknown names are ignored", () => {
    expect(readQuery("?color=red")).toEqual({ page: 1, pageSize: 20, sort: "-createdAt" });
  });

  test("accept a list as comma-separated values or as a repeated parameter", () => {
    expect(readQuery("?status=a,b&status=c&isOpen=true")).toMatchObject({ status: ["a", "b", "c"], isOpen: true });
  });

  test.each(["page=0", "page=1.5", "page=x", "page=", "pageSize=101", "pageSize=0", "pageSize=-1", "sort=price"])(
    "reject %s",
    (search) => expect(reasonOf(() => readQuery(`?${search}`))).toBe("INVALID_FIELD"),
  );
});
