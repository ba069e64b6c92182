import { NO_REQUESTS } from "@tollgate/domain/figures/request-class.ts";
import { expect, test } from "vitest";
import { shareOf, sortLines, type TableLine } from "./usage-rows.ts";

const line = (name: string, cost: bigint, requests: number): TableLine => ({
  id: name,
  name,
  sum: {
    key: name,
    requests,
    counts: NO_REQUESTS,
    errors: 0,
    input: 0,
    cached: 0,
    output: 0,
    cost,
    saved: 0n,
    value: cost,
  },
  share: 0,
  course: [],
});
const lines = [line("b", 5n, 1), line("A", 9n, 3), line("c", 7n, 2)];
const namesBy = (sort: string) => sortLines(lines, sort).map(({ name }) => name);

test("sorts rows by the selected column in either direction", () => {
  expect(namesBy("-spend")).toEqual(["A", "c", "b"]);
  expect(namesBy("requests")).toEqual(["b", "c", "A"]);
  expect(namesBy("name")).toEqual(["A", "b", "c"]);
});

test("an unknown column does not change the order", () => {
  expect(namesBy("toString")).toEqual(["b", "A", "c"]);
});

test("a share of a zero total is zero", () => {
  expect(shareOf(5n, 0n)).toBe(0);
  expect(shareOf(1n, 3n)).toBe(0.3333);
});
