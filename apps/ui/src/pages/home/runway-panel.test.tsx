import { screen } from "@testing-library/react";
import type { Operations } from "@tollgate/sdk/platform";
import { expect, test } from "vitest";
import { answerApi } from "../../testing/answer-api.fixture.ts";
import { signedInOwner } from "../../testing/owner.fixture.ts";
import { renderConsole } from "../../testing/render-console.fixture.tsx";
import { RunwayPanel } from "./runway-panel.tsx";

type Burn = Operations["getBurnRate"]["answer"]["burn"];

const BURN = {
  perDay: 18_040_000_000n,
  timezone: "UTC",
  balance: 214_371_826_400n,
  runway: "days",
  daysLeft: 11.883,
  emptyAt: "2026-11-24T11:00:00Z",
  lowAt: "2026-11-17T11:00:00Z",
  blockedSince: null,
  pendingPurchases: [],
} as unknown as Burn;

/** Returns the figure and its unit, which is smaller. */
async function readRunwayOf(burn: Burn) {
  answerApi({ ...signedInOwner(), getBurnRate: { burn } });
  await renderConsole(<RunwayPanel />);
  const [figure, unit] = ((await screen.findByText("Runway")).nextElementSibling as Element).childNodes;
  return [figure?.textContent, unit?.textContent?.trim()];
}

test("a number of days is the figure, and its unit is smaller", async () => {
  expect(await readRunwayOf(BURN)).toEqual(["11.9", "days"]);
});

test("a runway of more than a year is one figure without a unit", async () => {
  const burn = { ...BURN, runway: "over_a_year", daysLeft: null, emptyAt: null } as Burn;
  expect(await readRunwayOf(burn)).toEqual(["More than a year", undefined]);
});
