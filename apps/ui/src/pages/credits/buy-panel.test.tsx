import { fireEvent, screen, waitFor } from "@testing-library/react";
import type { Operations } from "@tollgate/sdk/platform";
import { useState } from "react";
import { expect, test } from "vitest";
import { type Answers, answerApi, Refusal } from "../../testing/answer-api.fixture.ts";
import { signedInOwner } from "../../testing/owner.fixture.ts";
import { renderConsole } from "../../testing/render-console.fixture.tsx";
import { BuyPanel } from "./buy-panel.tsx";

type Burn = Operations["getBurnRate"]["answer"]["burn"];

const BURN = { perDay: 4_000_000_000n, balance: 10_000_000_000n } as Burn;
// The address cannot be opened, so the page of the test stays.
const MADE = { checkoutUrl: "none" } as Operations["createPurchase"]["answer"];

function Page() {
  const [amount, setAmount] = useState("");
  return <BuyPanel burn={BURN} amount={amount} onAmount={setAmount} />;
}

/** Renders the form for an owner. Returns the purchases that the user ordered. */
async function renderForm(createPurchase: Answers["createPurchase"] = MADE) {
  const sent = answerApi({ ...signedInOwner(), createPurchase });
  await renderConsole(<Page />);
  await screen.findByText(/Credits usually arrive/);
  return () => sent.filter(({ id }) => id === "createPurchase");
}

const type = (value: string) =>
  fireEvent.change(screen.getByRole("textbox", { name: "Other amount" }), { target: { value } });
const pay = () => fireEvent.click(screen.getByRole("button", { name: /^Pay/ }));
const form = () => screen.getByRole("textbox", { name: "Other amount" }).closest("form") as HTMLFormElement;

test("orders the chosen amount, exact to the nano-USD", async () => {
  const purchases = await renderForm();
  fireEvent.click(screen.getByRole("button", { name: "$20" }));
  screen.getByText("Adds 5 days at the current burn rate.", { exact: false });
  type("5000");
  screen.getByText("Adds more than a year at the current burn rate.", { exact: false });
  fireEvent.click(screen.getByRole("button", { name: "$20" }));
  pay();
  await waitFor(() => expect(purchases()).toHaveLength(1));
  expect(purchases()[0]?.body).toEqual({ amount: "20000000000" });
});

test("orders a typed amount, and shows its total before the payment", async () => {
  const purchases = await renderForm();
  type("1234.50");
  expect(form().querySelector("dl")?.textContent).toContain("Total$1,234.50");
  fireEvent.click(screen.getByRole("button", { name: /^Pay \$1,234.50/ }));
  await waitFor(() => expect(purchases()).toHaveLength(1));
  expect(purchases()[0]?.body).toEqual({ amount: "1234500000000" });
});

test.each([
  ["4.99", "Enter an amount from $5.00 to $10,000.00"],
  ["10000.01", "Enter an amount from $5.00 to $10,000.00"],
  ["12.345", "Enter whole cents only"],
  ["ten", "Enter an amount in dollars, such as 25 or 12.50"],
])("refuses the amount %s and says why, also if the form is submitted with Enter", async (text, problem) => {
  const purchases = await renderForm();
  type(text);
  screen.getByRole("textbox", { name: "Other amount", description: problem });
  pay();
  fireEvent.submit(form());
  type("21");
  pay();
  await waitFor(() => expect(purchases()).not.toEqual([]));
  expect(purchases().map(({ body }) => body)).toEqual([{ amount: "21000000000" }]);
});

test("a retry after a failure continues the same order, and another amount is another order", async () => {
  const purchases = await renderForm(new Refusal(409, "The payment provider is busy"));
  const keyAfter = async (count: number) => {
    await waitFor(() => expect(purchases()).toHaveLength(count));
    await screen.findByRole("button", { name: /^Pay/, busy: false });
    return purchases().at(-1)?.headers.get("idempotency-key");
  };
  pay();
  const first = await keyAfter(1);
  pay();
  const retried = await keyAfter(2);
  type("60");
  pay();
  const other = await keyAfter(3);
  expect(first).toMatch(/^[0-9a-f]{32}$/);
  expect(retried).toBe(first);
  expect(other).not.toBe(first);
});

test("a second click while the order is sent does nothing", async () => {
  const { promise, resolve } = Promise.withResolvers<typeof MADE>();
  const purchases = await renderForm(() => promise);
  pay();
  await screen.findByRole("button", { name: /^Pay/, busy: true });
  pay();
  resolve(MADE);
  await screen.findByRole("button", { name: /^Pay/, busy: false });
  expect(purchases()).toHaveLength(1);
});

test("a failure is shown with its request ID", async () => {
  await renderForm(new Refusal(409, "The payment provider is busy"));
  pay();
  await screen.findAllByText("The request failed. The payment provider is busy.");
});
