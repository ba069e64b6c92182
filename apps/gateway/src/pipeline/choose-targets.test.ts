import fc from "fast-check";
import { describe, expect, test } from "vitest";
import type { Deployment } from "../model-list/deployment.ts";
import type { ChosenModel } from "../model-list/find-model.ts";
import { chooseTarget } from "./choose-targets.ts";

type Weights = Partial<Record<"weight" | "rpm" | "tpm", number>>;
const modelOf = (...deployments: Weights[]): ChosenModel => ({
  shownName: "m",
  shownJson: '"m"',
  shownHeader: "m",
  groupName: "m",
  deployments: deployments.map(
    ({ weight = null, rpm = null, tpm = null }, index) =>
      ({ id: String(index), weight, rpm, tpm }) as unknown as Deployment,
  ),
});
/** The share each deployment gets when chance takes every value once. */
function sharesOf(model: ChosenModel): number[] {
  const chosen = Array.from({ length: 1_000 }, (_, point) => chooseTarget(model, () => point / 1_000));
  return model.deployments.map((deployment) => chosen.filter((each) => each === deployment).length / 1_000);
}

describe("calls go", () => {
  test("evenly where no weight is set, or all are zero", () => {
    expect(sharesOf(modelOf({}, {}))).toEqual([0.5, 0.5]);
    expect(sharesOf(modelOf({ weight: 0 }, { weight: 0 }))).toEqual([0.5, 0.5]);
  });

  test("by weight where any deployment has one; what has none gets nothing", () => {
    expect(sharesOf(modelOf({ weight: 3 }, { weight: 1 }))).toEqual([0.75, 0.25]);
    expect(sharesOf(modelOf({ weight: 1 }, { rpm: 1_000 }))).toEqual([1, 0]);
  });

  test("by requests a minute, then by tokens a minute, where there is no weight", () => {
    expect(sharesOf(modelOf({ rpm: 100, tpm: 1 }, { rpm: 300, tpm: 9 }))).toEqual([0.25, 0.75]);
    expect(sharesOf(modelOf({ tpm: 900 }, { tpm: 100 }))).toEqual([0.9, 0.1]);
  });

  test("to the only deployment without a look at chance", () => {
    const throwing = () => {
      throw new Error("asked");
    };
    expect(chooseTarget(modelOf({ weight: 0 }), throwing).id).toBe("0");
  });

  test("always somewhere, and never to a weight of zero beside another", () => {
    const weights = fc.array(fc.nat(5), { minLength: 1, maxLength: 6 });
    fc.assert(
      fc.property(weights, fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (given, chance) => {
        const chosen = chooseTarget(modelOf(...given.map((weight) => ({ weight }))), () => chance);
        expect(chosen).toBeDefined();
        if (given.some((weight) => weight > 0)) expect(given[Number(chosen.id)]).toBeGreaterThan(0);
      }),
    );
  });
});
