import { expect, test } from "vitest";
import { rankTop } from "./rank-top.ts";

const row = (id: string, cost: bigint, requests = 1) => ({ id, cost, requests });

test("the five that cost most come first, and all others stand together, so that nothing is lost", () => {
  const rows = [row("a", 1n), row("b", 7n), row("c", 3n), row("d", 9n), row("e", 5n), row("f", 2n, 4), row("g", 8n)];
  const ranked = rankTop(rows);
  expect(ranked.map(({ id }) => id)).toEqual(["d", "g", "b", "e", "c", ""]);
  expect(ranked.at(-1)).toEqual({ id: "", others: 2, cost: 3n, requests: 5 });
  expect(ranked.reduce((sum, { cost }) => sum + cost, 0n)).toBe(35n);
});

test("of what costs the same the more frequent comes first", () => {
  expect(rankTop([row("rare", 0n, 1), row("frequent", 0n, 9)]).map(({ id }) => id)).toEqual(["frequent", "rare"]);
});
