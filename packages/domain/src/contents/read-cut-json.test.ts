import fc from "fast-check";
import { expect, test } from "vitest";
import { readCutJson } from "./read-cut-json.ts";

test("keeps the values before the cut and the beginning of the last text", () => {
  const whole =
    '{"model":"m","messages":[{"role":"user","content":"first"},{"role":"user","content":"a \\"b\\" \\u00e9nd"}]}';
  const cutAt = (text: string) => readCutJson(whole.slice(0, whole.indexOf(text)));
  const first = { role: "user", content: "first" };
  expect(readCutJson(whole)).toEqual(JSON.parse(whole));
  expect(cutAt('st"')).toEqual({ model: "m", messages: [{ role: "user", content: "fir" }] });
  expect(cutAt('b\\"')).toEqual({ model: "m", messages: [first, { role: "user", content: 'a "' }] });
  expect(cutAt("0e9")).toEqual({ model: "m", messages: [first, { role: "user", content: 'a "b" ' }] });
  expect(cutAt('odel"')).toEqual({});
  expect(cutAt('"m"')).toEqual({});
});

test("any beginning of a JSON object is an object", () => {
  fc.assert(
    fc.property(fc.json({ maxDepth: 4 }), fc.nat(), (value, position) => {
      const whole = `{"value":${value},"last":[1,{}]}`;
      const parsed = readCutJson(whole.slice(0, 1 + (position % whole.length)));
      expect(typeof parsed).toBe("object");
      expect(parsed).not.toBeNull();
    }),
  );
});

test("text that isn't JSON is null", () => {
  for (const text of ["", "hello", "{{", "]"]) expect(readCutJson(text), text).toBeNull();
});
