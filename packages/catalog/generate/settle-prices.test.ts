import { expect, test } from "vitest";
import { settleHours, settlePrices } from "./settle-prices.ts";

const prices = (table: Record<string, bigint>) => new Map(Object.entries(table));

test("keeps the first source's figure and marks the difference", () => {
  const settled = settlePrices("chat", prices({ input: 5n, output: 9n }), prices({ input: 4n, output: 9n }));
  expect(settled.prices).toEqual(prices({ input: 5n, output: 9n }));
  expect(settled.review).toEqual([{ field: "input", first: 5n, second: 4n }]);
});

test("takes missing prices from the second source if the prices that both sources list are equal", () => {
  const second = prices({ input: 5n, output: 9n, cacheRead: 1n, inputAbove200000: 10n });
  const settled = settlePrices("chat", prices({ input: 5n, output: 9n }), second);
  expect(settled).toEqual({ prices: second, review: [], fromSecond: ["cacheRead", "inputAbove200000"] });
});

test("ignores a second source that disagrees, and marks the prices that it would have added", () => {
  const second = prices({ input: 4n, inputAbove200000: 8n });
  const settled = settlePrices("chat", prices({ input: 5n }), second);
  expect(settled.prices).toEqual(prices({ input: 5n }));
  expect(settled.review).toEqual([
    { field: "input", first: 5n, second: 4n },
    { field: "inputAbove200000", first: null, second: 8n },
  ]);
});

test("ignores a second source that shares no price field with the first", () => {
  expect(settlePrices("chat", prices({}), prices({ input: 4n }))).toMatchObject({ prices: prices({}), review: [] });
});

test("a zero price is treated as unknown, even when both sources list it", () => {
  const settled = settlePrices("chat", prices({ input: 0n, output: 9n }), prices({ input: 0n, output: 9n }));
  expect(settled.prices).toEqual(prices({ output: 9n }));
  expect(settled.review).toEqual([{ field: "input", first: 0n, second: 0n }]);
});

test("a zero price is valid for units that the mode doesn't bill", () => {
  const none = prices({});
  const embedding = prices({ input: 5n, output: 0n });
  expect(settlePrices("embedding", embedding, none)).toMatchObject({ prices: embedding, review: [] });
  const rerank = prices({ input: 0n, output: 0n, perQuery: 7n });
  expect(settlePrices("rerank", rerank, none)).toMatchObject({ prices: rerank, review: [] });
  expect(settlePrices("rerank", prices({ input: 0n }), none).prices.size).toBe(0);
});

test("excludes and marks a price that is a thousand times too high", () => {
  const settled = settlePrices("chat", prices({ input: 5_000_000_000n, output: 600_000_000n }), prices({}));
  expect(settled.prices).toEqual(prices({ output: 600_000_000n }));
  expect(settled.review).toEqual([{ field: "input", first: 5_000_000_000n, second: null }]);
  expect(settlePrices("embedding", prices({ input: 100_000_000n }), prices({})).prices.size).toBe(0);
});

test("a high price per image is plausible", () => {
  const image = prices({ outputPerImage: 250_000_000_000n });
  expect(settlePrices("image_generation", image, prices({}))).toMatchObject({ prices: image, review: [] });
});

test("prices by the hour apply if the first source has one of them", () => {
  const off = prices({ input: 2n, output: 6n });
  const peak = prices({ input: 4n, output: 12n });
  const hours = [
    { when: { hours: { name: "peak", timeZone: "UTC", days: [], fromMinute: 0, toMinute: 60 } }, prices: peak },
  ];
  const second = { prices: off, hours };
  const listed = prices({ input: 4n, output: 12n, cacheWrite: 9n });
  expect(settleHours(listed, second)).toEqual({ first: prices({ input: 2n, output: 6n, cacheWrite: 9n }), hours });
  expect(settleHours(off, second)).toEqual({ first: off, hours });
  const other = prices({ input: 4n, output: 13n });
  expect(settleHours(other, second)).toEqual({ first: other, hours: [] });
});
