import { fireEvent, screen, waitFor } from "@testing-library/react";
import type { Operations } from "@tollgate/sdk/platform";
import { expect, test } from "vitest";
import { type Answers, answerApi, Refusal } from "../../testing/answer-api.fixture.ts";
import { signedInOwner } from "../../testing/owner.fixture.ts";
import { renderConsole } from "../../testing/render-console.fixture.tsx";
import { GrantPanel } from "./grant-panel.tsx";

const MADE = { quota: { balance: 15_000_000_000n } } as Operations["createCreditTransaction"]["answer"];

async function renderForm(createCreditTransaction: Answers["createCreditTransaction"] = MADE) {
  const sent = answerApi({ ...signedInOwner(), createCreditTransaction });
  await renderConsole(<GrantPanel balance={10_000_000_000n} />);
  await screen.findByRole("button", { name: /^Grant to Analytical Engines/ });
  return () => sent.filter(({ id }) => id === "createCreditTransaction");
}

const type = (name: string, value: string) =>
  fireEvent.change(screen.getByRole("textbox", { name }), { target: { value } });
const grant = () => fireEvent.click(screen.getByRole("button", { name: /^Grant to/ }));

test("grants the amount with its reason, and shows the balance before and after", async () => {
  const grants = await renderForm();
  type("Amount", "5");
  type("Reason", "Welcome");
  expect(screen.getByText(/^Balance/).textContent).toBe("Balance $10.00 → $15.00");
  grant();
  await waitFor(() => expect(grants()).toHaveLength(1));
  expect(grants()[0]?.body).toEqual({ amount: "5000000000", reason: "Welcome" });
});

test("an invalid amount is explained and not sent", async () => {
  const grants = await renderForm();
  type("Amount", "5 dollars");
  type("Reason", "Welcome");
  screen.getByText("Enter an amount in dollars, such as 25 or 0.50");
  grant();
  type("Amount", "6");
  grant();
  await waitFor(() => expect(grants()).not.toEqual([]));
  expect(grants().map(({ body }) => body)).toEqual([{ amount: "6000000000", reason: "Welcome" }]);
});

test("a retry after a failure does not grant twice, and a later grant is a new one", async () => {
  let outcome: Refusal | typeof MADE = new Refusal(409, "Try again");
  const grants = await renderForm(() => outcome);
  const keyAfter = async (count: number) => {
    await waitFor(() => expect(grants()).toHaveLength(count));
    await screen.findByRole("button", { name: /^Grant to/, busy: false });
    return grants().at(-1)?.headers.get("idempotency-key");
  };
  const fill = () => {
    type("Amount", "5");
    type("Reason", "Welcome");
  };
  fill();
  grant();
  const first = await keyAfter(1);
  outcome = MADE;
  grant();
  const retried = await keyAfter(2);
  await waitFor(() => expect(screen.getByRole<HTMLInputElement>("textbox", { name: "Amount" }).value).toBe(""));
  fill();
  grant();
  const later = await keyAfter(3);
  expect(retried).toBe(first);
  expect(later).not.toBe(first);
});
