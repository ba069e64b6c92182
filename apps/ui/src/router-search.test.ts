import { expect, test } from "vitest";
import { parseSearch, stringifySearch } from "./router-search.ts";

test("URL parameters are read back as written", () => {
  const values = { range: "14d", model: ["gpt-5", "sim/lorem?tokens=2&tps=8"], open: "use_1" };
  expect(parseSearch(stringifySearch(values))).toEqual(values);
});

test("numbers are preserved as typed, and empty values are omitted", () => {
  expect(parseSearch("?page=007")).toEqual({ page: "007" });
  expect(stringifySearch({ a: "", b: undefined, c: [] })).toBe("");
});
