import fc from "fast-check";
import Type from "typebox";
import { expect, test } from "vitest";
import { nullable, Time } from "./fields.ts";
import { Amount, toUsdText, Usd } from "./money.ts";
import { writeAnswer } from "./write-answer.ts";

const Record = Type.Object({
  id: Type.String(),
  amount: nullable(Amount),
  at: Type.Optional(Time),
  usd: Type.Optional(Usd),
  inner: Type.Optional(nullable(Type.Object({ name: Type.String() }))),
});

test("writes only the fields in the schema, at every depth", () => {
  const value = { id: "a", amount: 1n, passwordHash: "x", inner: { name: "n", token: "secret" } };
  expect(writeAnswer(Type.Object({ data: Type.Array(Record) }), { data: [value] })).toBe(
    '{"data":[{"id":"a","amount":1,"inner":{"name":"n"}}]}',
  );
});

test("writes every amount exactly, with matching USD text", () => {
  fc.assert(
    fc.property(fc.bigInt({ min: -(2n ** 63n) + 1n, max: 2n ** 63n - 1n }), (amount) => {
      expect(writeAnswer(Record, { id: "a", amount })).toBe(`{"id":"a","amount":${amount}}`);
      expect(BigInt(toUsdText(amount).replace(".", ""))).toBe(amount);
      expect(toUsdText(amount)).toMatch(/^-?\d+\.\d{9}$/);
    }),
  );
});

test("writes times in UTC with milliseconds, writes null, and omits undefined fields", () => {
  expect(writeAnswer(Record, { id: "a", amount: null, at: new Date(0), inner: undefined })).toBe(
    '{"id":"a","amount":null,"at":"1970-01-01T00:00:00.000Z"}',
  );
});

test("writes a map with all its entries", () => {
  expect(writeAnswer(Record, { id: "a", amount: null, usd: { amount: "1.000000000" } })).toBe(
    '{"id":"a","amount":null,"usd":{"amount":"1.000000000"}}',
  );
});
