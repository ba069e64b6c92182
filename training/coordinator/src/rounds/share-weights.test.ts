import fc from "fast-check";
import { expect, test } from "vitest";
import { shareWeights } from "./share-weights.ts";

const share = (weights: readonly number[], maxShare: number) =>
  shareWeights(
    weights.map((weight, index) => ({ participant: `p${index}`, weight })),
    maxShare,
  );

test("shares follow the weights while all members are below the cap", () => {
  expect(share([10, 30, 60], 0.7).map((member) => member.share)).toEqual([0.1, 0.3, 0.6]);
  expect(share([10, 30, 60], 0.7).map((member) => member.weight)).toEqual([10, 30, 60]);
});

test("the share cut from one member goes to the other members by weight", () => {
  const members = share([1_000_000, 10, 30], 0.5);
  expect(members.map((member) => member.share)).toEqual([0.5, 0.125, 0.375]);
  expect(members.map((member) => member.capped)).toEqual([true, false, false]);
});

test("a member whose share exceeds the cap after another member is cut is also cut", () => {
  expect(share([1000, 100, 10, 1], 0.4).map((member) => member.share)).toEqual([
    0.4,
    0.4,
    expect.closeTo(0.2 * (10 / 11)),
    expect.closeTo(0.2 / 11),
  ]);
});

test("two members under a cap of 0.5 have equal shares, regardless of their weights", () => {
  expect(share([900, 100], 0.5).map((member) => member.share)).toEqual([0.5, 0.5]);
});

test("marks a participant as cut only if its share was reduced", () => {
  expect(share([900, 100], 0.5).map((member) => member.capped)).toEqual([true, false]);
  expect(share([7], 0.5)).toEqual([{ participant: "p0", weight: 1, share: 1, capped: false }]);
  expect(share([5, 5], 0.2).map((member) => member.capped)).toEqual([false, false]);
});

test("members with zero weights share equally", () => {
  expect(share([0, 0], 0.5).map(({ weight, share: part }) => ({ weight, part }))).toEqual([
    { weight: 1, part: 0.5 },
    { weight: 1, part: 0.5 },
  ]);
});

test("no share exceeds the cap if the cap is feasible, and the shares sum to one", () => {
  const weights = fc.array(fc.nat({ max: Number.MAX_SAFE_INTEGER }), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(weights, fc.double({ min: 0.05, max: 1, noNaN: true }), (list, maxShare) => {
      const members = share(list, maxShare);
      const total = members.reduce((sum, member) => sum + member.share, 0);
      expect(total).toBeCloseTo(1, 9);
      const counted = list.filter((weight) => weight > 0).length || list.length;
      const most = Math.max(maxShare, 1 / counted);
      for (const member of members) expect(member.share).toBeLessThanOrEqual(most * (1 + 1e-9));
      const heaviest = list.indexOf(Math.max(...list));
      for (const member of members) expect(members[heaviest]?.share).toBeGreaterThanOrEqual(member.share * (1 - 1e-9));
    }),
  );
});
