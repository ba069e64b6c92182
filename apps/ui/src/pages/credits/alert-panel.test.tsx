import { fireEvent, screen, waitFor } from "@testing-library/react";
import type { Operations } from "@tollgate/sdk/platform";
import { expect, test } from "vitest";
import { answerApi } from "../../testing/answer-api.fixture.ts";
import { signedInOwner } from "../../testing/owner.fixture.ts";
import { renderConsole } from "../../testing/render-console.fixture.tsx";
import { AlertPanel } from "./alert-panel.tsx";

const SAVED = {
  organization: { settings: { lowBalanceThreshold: null } },
} as Operations["updateOrganization"]["answer"];

async function renderAlert(threshold: bigint | null) {
  const sent = answerApi({ ...signedInOwner(), updateOrganization: SAVED });
  await renderConsole(<AlertPanel threshold={threshold} perDay={1_010_000_000n} />);
  await screen.findByRole("button", { name: threshold === null ? "Custom amount" : "Change amount" });
  return async () => {
    await waitFor(() => expect(sent.some(({ id }) => id === "updateOrganization")).toBe(true));
    return sent.find(({ id }) => id === "updateOrganization")?.body;
  };
}

test("offers an alert at one week of spend, rounded up to whole dollars", async () => {
  const saved = await renderAlert(null);
  screen.getByText("7 days left ($8.00)");
  fireEvent.click(screen.getAllByRole("button", { name: "Set alert" })[0] as HTMLElement);
  expect(await saved()).toEqual({ organizationId: "org_1", settings: { lowBalanceThreshold: "8000000000" } });
});

test("sets an alert at a typed amount", async () => {
  const saved = await renderAlert(null);
  fireEvent.click(screen.getByRole("button", { name: "Custom amount" }));
  fireEvent.change(screen.getByRole("textbox", { name: "Alert below" }), { target: { value: "12.5" } });
  fireEvent.submit(screen.getByRole("textbox", { name: "Alert below" }));
  expect(await saved()).toEqual({ organizationId: "org_1", settings: { lowBalanceThreshold: "12500000000" } });
});

test("removes an alert", async () => {
  const saved = await renderAlert(20_000_000_000n);
  screen.getByText("$20.00");
  fireEvent.click(screen.getByRole("button", { name: "Remove" }));
  expect(await saved()).toEqual({ organizationId: "org_1", settings: { lowBalanceThreshold: null } });
});
