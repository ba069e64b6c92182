import type { ReceivedRequest } from "@tollgate/testkit/received-request.ts";
import { expect, test } from "vitest";
import { compareObservations } from "./compare-observations.ts";
import { labelOf, modes, type Observation, sides } from "./observation.ts";

type Values = Readonly<Record<Observation["side"], unknown>>;

function compare(values: Values, asked: Values = { direct: {}, through: {} }): string | null {
  const seen = modes.flatMap((mode) => sides.map((side) => ({ scenario: "text", mode, side, value: values[side] })));
  const requests = seen.map((one) => {
    const body = { user: labelOf("node", one), ...(asked[one.side] as object) };
    return { json: () => body } as unknown as ReceivedRequest;
  });
  return compareObservations("node", "text", seen, requests);
}

test("responses that differ only in the model name are equal", () => {
  expect(compare({ direct: { model: "a", n: [1] }, through: { model: "b", n: [1] } })).toBeNull();
  expect(compare({ direct: [{ model: "a" }], through: [{ model: "b" }] })).toBeNull();
});

test("reports the position at which two responses differ", () => {
  const reported = compare({ direct: { choices: [{ index: 0 }] }, through: { choices: [{ index: 1 }] } });
  expect(reported).toContain("whole, decoded: at /choices/0/index: direct 0, through 1");
});

test("a field that is null on one side and absent on the other is a difference", () => {
  expect(compare({ direct: {}, through: { usage: null } })).toContain("at /usage");
});

test("upstream requests are also compared", () => {
  const same = { direct: {}, through: {} };
  expect(compare(same, { direct: { n: 2, model: "a" }, through: { model: "b" } })).toContain(
    "as the upstream was asked",
  );
});

test("a scenario without observations is a failure", () => {
  expect(compareObservations("node", "text", [], [])).toBe("nothing was observed");
});
