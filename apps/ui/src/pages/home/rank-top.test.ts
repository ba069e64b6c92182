import { expect, test } from "vitest";
import { rankTop } from "./rank-top.ts";

const row = (id: string, cost: bigint, requests = 1) => ({ id, cost, requests });

test("lists the five most expensive rows and combines all others", () => {
  const rows = [row("a", 1n), row("b", 7n), row("c", 3n), row("d", 9n), row("e", 5n), row("f", 2n, 4), row("g", 8n)];
  const ranked = rankTop(rows);
  expect(ranked.map(({ id }) => id)).toEqual(["d", "g", "b", "e", "c", ""]);
  expect(ranked.at(-1)).toEqual({ id: "", others: 2, cost: 3n, requests: 5 });
  expect(ranked.reduce((sum, { cost }) => sum + cost, 0n)).toBe(35n);
});

test("ranks rows of equal cost by number of requests", () => {
  expect(rankTop([row("rare", 0n, 1), row("frequent", 0n, 9)]).map(({ id }) => id)).toEqual(["frequent", "rare"]);
});
