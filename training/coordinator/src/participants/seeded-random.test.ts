import fc from "fast-check";
import { expect, test } from "vitest";
import { sampleInOrder, seededRandom } from "./seeded-random.ts";

const letters = [..."abcdefghij"];

test("the same seed and purpose select the same participants, in plan order", () => {
  const choose = (seed: number, purpose: string) => sampleInOrder(letters, 4, seededRandom(seed, purpose)).join("");
  expect(choose(7, "select 1")).toBe(choose(7, "select 1"));
  const rounds = Array.from({ length: 20 }, (_, round) => choose(7, `select ${round}`));
  expect(new Set(rounds).size).toBeGreaterThan(10);
  for (const chosen of rounds) expect([...chosen].sort().join("")).toBe(chosen);
});

test("a sample has the requested size and no duplicates", () => {
  fc.assert(
    fc.property(fc.nat(), fc.nat({ max: 10 }), (seed, count) => {
      const chosen = sampleInOrder(letters, count, seededRandom(seed, "x"));
      expect(new Set(chosen).size).toBe(count);
    }),
  );
});

test("all participants are selected about equally often", () => {
  const counts = new Map(letters.map((letter) => [letter, 0]));
  for (let round = 0; round < 3000; round += 1) {
    for (const letter of sampleInOrder(letters, 3, seededRandom(1, `select ${round}`))) {
      counts.set(letter, (counts.get(letter) ?? 0) + 1);
    }
  }
  for (const count of counts.values()) expect(Math.abs(count - 900)).toBeLessThan(120);
});
