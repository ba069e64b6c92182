import { recorded } from "@tollgate/testkit/recorded-platform.ts";
import { expect, test } from "vitest";
import { startRecorded, useTimeZone } from "../../../recorded.fixture.ts";

/** Returns amounts as the platform sends them: as integers, and exactly as text. */
function amounts(texts: Readonly<Record<string, string>>) {
  const numbers = Object.entries(texts).map(([name, text]) => [name, Math.round(Number(text) * 1e9)]);
  return { ...Object.fromEntries(numbers), usd: texts };
}

const [movement] = recorded("listCreditTransactions").data;
const { purchase } = recorded("getPurchase");
const { burn } = recorded("getBurnRate");
const noBurn = {
  ...burn,
  ...amounts({ perDay: "0.000000000" }),
  ...{ runway: "no_spend", daysLeft: null, emptyAt: null, lowAt: null },
  pendingPurchases: [],
};

test("shows an amount with cents from one dollar, three significant digits below, and separated thousands", async () => {
  const { platform, cells } = await startRecorded();
  platform.answers("getBurnRate", { burn: noBurn });
  platform.edits(
    "getBalance",
    amounts({ balance: "1234567.000000001", available: "999.000000000", held: "0.001234567" }),
  );
  expect(await cells("balance")).toEqual([
    ["balance", "$1,234,567.00"],
    ["available", "$999.00"],
    ["held", "$0.00123 for requests in flight"],
    ["status", "ok"],
  ]);
});

test("shows a negative amount with the sign before the dollar sign", async () => {
  const { platform, cells } = await startRecorded();
  platform.answers("getBurnRate", { burn: noBurn });
  platform.edits("getBalance", amounts({ balance: "-0.000000123", available: "-1500.500000000", held: "0.000000000" }));
  expect((await cells("balance")).slice(0, 2)).toEqual([
    ["balance", "−$0.000000123"],
    ["available", "−$1,500.50"],
  ]);
});

test("prints an amount in JSON exactly, even above the safe range of numbers", async () => {
  const { platform, succeed } = await startRecorded();
  platform.edits(
    "getBalance",
    amounts({ balance: "9007199254.740993001", available: "1.000000000", held: "0.000000000" }),
  );
  expect((await succeed(["balance", "--json=balance"])).stdout).toBe('{"balance":9007199254740993001}\n');
  expect((await succeed(["balance", "--jq", ".balance, .usd.available"])).stdout).toBe(
    "9007199254740993001\n1.000000000\n",
  );
});

test("shows how long the balance lasts, blocked teams, and pending orders, and suggests to buy credits", async () => {
  const { platform, cli } = await startRecorded();
  const blockedSince = new Date(Date.now() - 2 * 3_600_000).toISOString();
  const emptyAt = new Date(Date.now() + 3 * 86_400_000 + 60_000).toISOString();
  const [pending] = burn.pendingPurchases;
  const now = {
    ...burn,
    ...amounts({ perDay: "1.250000000" }),
    usd: { ...burn.usd, perDay: "1.250000000" },
    runway: "days",
    daysLeft: 3.041_666_7,
    emptyAt,
    blockedTeams: 1,
    blockedSince,
  };
  platform.answers("getBurnRate", { burn: now });
  platform.edits("getBalance", { status: "exhausted" });
  const { stdout, stderr } = await cli.run(["balance"]);
  expect(stdout.split("\n").slice(2)).toEqual([
    "status\texhausted",
    "daily spend\t$1.25",
    "lasts\t3.0 days (runs out in 3 d)",
    "blocked\t1 team, since 2 h ago",
    `pending order\t$5.00, order ${pending?.id} (pending)`,
    "",
  ]);
  expect(stderr).toContain("Next:  tollgate credits buy 20\n");
});

test("the quota shows each sum by name and omits sums that are zero", async () => {
  const { platform, cells } = await startRecorded();
  const { quota } = recorded("getQuota");
  const sums = {
    balance: "10.000000000",
    available: "9.500000000",
    held: "0.500000000",
    totalPurchased: "20.000000000",
    totalGranted: "5.000000000",
    totalUsed: "14.000000000",
    totalRefunded: "1.000000000",
    totalExpired: "0.000000000",
    totalAdjusted: "0.000000000",
    lowBalanceThreshold: "2.500000000",
    leased: "0.000000000",
  };
  platform.answers("getQuota", { quota: { ...quota, ...amounts(sums), teams: 3, blockedTeams: 2 } });
  expect(await cells("quota")).toEqual([
    ["balance", "$10.00"],
    ["available", "$9.50"],
    ["held", "$0.50"],
    ["purchased", "$20.00"],
    ["granted", "$5.00"],
    ["used", "$14.00"],
    ["refunded", "$1.00"],
    ["low balance", "$2.50"],
    ["status", "ok"],
    ["teams", "3, 2 blocked"],
  ]);
});

test("the ledger lists each entry at its local time, with its sign and the resulting balance", async () => {
  useTimeZone("Asia/Tokyo");
  const { platform, table } = await startRecorded();
  platform.lists("listCreditTransactions", [
    {
      ...movement,
      id: "txn_1",
      kind: "purchase",
      createdAt: "2026-03-01T16:05:09.000Z",
      description: null,
      reference: "pur_1",
      ...amounts({ amount: "20.000000000", balanceAfter: "25.000000000" }),
    },
    {
      ...movement,
      id: "txn_2",
      kind: "usage",
      createdAt: "2026-12-31T14:59:59.000Z",
      description: "three requests",
      ...amounts({ amount: "-0.000047000", balanceAfter: "24.999953000" }),
    },
  ]);
  expect(await table("credits", "ledger")).toEqual([
    ["TIME", "KIND", "AMOUNT", "BALANCE", "ID", "DESCRIPTION"],
    ["2026-03-02 01:05:09", "purchase", "+$20.00", "$25.00", "txn_1", "pur_1"],
    ["2026-12-31 23:59:59", "usage", "−$0.000047", "$24.999953", "txn_2", "three requests"],
  ]);
});

test("--since counts back from now, --until takes a time, and each --kind is a filter", async () => {
  const { platform, succeed } = await startRecorded();
  const before = Date.now();
  await succeed([
    "credits",
    "ledger",
    "--kind",
    "purchase",
    "--kind",
    "refund",
    "--since",
    "2w",
    "--until",
    "2026-11-01",
  ]);
  const [asked] = platform.asked("listCreditTransactions");
  expect(asked?.query).toMatchObject({ kind: ["purchase", "refund"], endDate: "2026-11-01T00:00:00.000Z" });
  const ago = before - Date.parse(String(asked?.query.startDate));
  expect(Math.abs(ago - 14 * 86_400_000)).toBeLessThan(60_000);
  const wrong = await startRecorded();
  expect(await wrong.cli.run(["credits", "ledger", "--since", "yesterday"])).toMatchObject({
    code: 2,
    stdout: "",
    stderr: expect.stringContaining("Invalid time 'yesterday'."),
  });
  expect(wrong.platform.requests).toEqual([]);
});

test("an order shows its amounts, its buyer, and each step at its local time", async () => {
  useTimeZone("America/New_York");
  const { platform, cells } = await startRecorded();
  platform.answers("getPurchase", {
    purchase: {
      ...purchase,
      ...amounts({
        amount: "20.000000000",
        tax: "3.800000000",
        fee: "0.000000000",
        refunded: "5.000000000",
        shortfall: "0.000000000",
      }),
      timeline: [
        { state: "created", at: "2026-07-04T03:00:00.000Z", reference: null },
        { state: "awaiting_payment", at: "2026-07-04T03:00:01.000Z", reference: "session-1" },
        { state: "paid", at: null, reference: null },
      ],
      receiptUrl: "https://example.org/receipt",
    },
  });
  expect(await cells("credits", "orders", "show", purchase.id)).toEqual([
    ["order", purchase.id],
    ["amount", "$20.00"],
    ["tax", "$3.80"],
    ["status", "paid"],
    ["refunded", "$5.00"],
    ["created by", "Developer"],
    ["created", "2026-07-03 23:00:00"],
    ["awaiting payment", "2026-07-03 23:00:01 (session-1)"],
    ["receipt", "https://example.org/receipt"],
  ]);
  expect(platform.asked("getPurchase")).toMatchObject([{ params: { id: purchase.id } }]);
});

test("`credits buy` sends the exact amount once, and prints where to pay", async () => {
  const { platform, cli } = await startRecorded();
  const { checkoutUrl } = recorded("createPurchase");
  const bought = await cli.run(["credits", "buy", "$1,250.000000001", "--no-wait"]);
  expect(bought).toMatchObject({ code: 0, stdout: `${checkoutUrl}\n` });
  expect(platform.requests).toMatchObject([
    {
      operation: "createPurchase",
      body: { amount: "1250000000001" },
      headers: { "idempotency-key": expect.any(String) },
    },
  ]);
});

test.for(["0.0000000001", "-5", "five", "1e3", ""])(
  "`credits buy %s` is refused before a request is sent",
  async (text) => {
    const { platform, cli } = await startRecorded();
    expect(await cli.run(["credits", "buy", "--no-wait", "--", text])).toMatchObject({ code: 2, stdout: "" });
    expect(platform.requests).toEqual([]);
  },
);

test.for([
  ["failed", 5, "The payment failed. You were not charged."],
  ["expired", 5, "The order expired unpaid. You were not charged."],
  ["refunded", 5, "The payment was refunded."],
  ["disputed", 5, "The payment is disputed."],
  ["review", 5, "The amount paid doesn't match the order."],
  ["pending", 7, "The order stays open."],
] as const)("`credits buy --order` of an order that is %s exits with code %i", async ([status, code, text]) => {
  const { platform, cli } = await startRecorded();
  platform.answers("checkPurchase", { purchase: { ...purchase, status } });
  platform.answers("getPurchase", { purchase: { ...purchase, status } });
  const waited = await cli.run(["credits", "buy", "--order", purchase.id, "--wait", "0"]);
  expect(waited).toMatchObject({ code, stdout: "", stderr: expect.stringContaining(text) });
});

test("`credits buy` reports the credited amount, the new balance, and the unblocked teams", async () => {
  const { platform, cli } = await startRecorded();
  platform.answers("checkPurchase", { purchase: { ...purchase, unblockedTeams: 1 } });
  platform.edits("getBalance", amounts({ balance: "24.999953000", available: "24.999953000", held: "0.000000000" }));
  const { stderr } = await cli.run(["credits", "buy", "--order", purchase.id]);
  expect(stderr).toContain("✓ Credited $20.00; balance $24.999953, 1 team unblocked\n");
});
