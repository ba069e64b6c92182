import { randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { NANO_PER_CENT } from "@tollgate/domain/money.ts";
import { signalProcess } from "@tollgate/testkit/processes/clean-up.ts";
import type { Cell, CellContext } from "../cell.ts";
import { makeCall } from "../load/make-call.ts";
import {
  type Account,
  ask,
  askUntilAnswered,
  moveCredits,
  openAccount,
  openAdministrator,
  openPlatform,
  readBalance,
  requestOrThrow,
} from "../stage/account.ts";
import { deliver, describeRunEvents, forge, type Payment } from "../stage/payment-provider.ts";
import type { Stage } from "../stage/stage.ts";
import { planContestCall } from "./contest.ts";
import { underLoad } from "./under-load.ts";

const PURCHASE_CENTS = 2_000;
const USABLE_LIMIT_MS = 1_000;
const DAY_SECONDS = 86_400;

export const paymentCells: readonly Cell[] = [
  {
    id: "F43",
    title: "payment: events delivered five hundred times concurrently, out of order, replayed, and forged",
    isQuick: true,
    run: (stage, context) =>
      underLoad(stage, context, { mostFailed: 0, recoveryMs: 0 }, async () => {
        await openPlatform(stage);
        const administrator = await openAdministrator(stage);
        for (let round = 0; round < (context.isQuick ? 1 : 20); round += 1)
          await payOnce(stage, context, administrator);
      }),
  },
  {
    id: "F44",
    title: "platform: killed between a change and its response",
    isQuick: true,
    run: (stage, context) =>
      underLoad(stage, context, { mostFailed: 0, recoveryMs: 0 }, async (until) => {
        await openPlatform(stage);
        const administrator = await openAdministrator(stage);
        const accounts = await Promise.all(Array.from({ length: 8 }, () => openAccount(stage)));
        const requested = accounts.map((account) => ({ account, grants: 0, purchases: new Set<string>() }));
        const work = requested.map((each) => keepRequesting(stage, administrator, each, until));
        while (performance.now() < until) {
          await pause(context.random.integer(200, 900));
          killPlatform(stage);
          await stage.tollgate.platform.awaitReady();
        }
        await Promise.all(work);
        for (const { account, grants, purchases } of requested) await checkRequested(stage, account, grants, purchases);
      }),
  },
];

/**
 * Lets an organization in debt make a payment. The payment must be credited once, half of it refunded once, and the
 * credit usable within a second.
 */
async function payOnce(stage: Stage, context: CellContext, administrator: Account): Promise<void> {
  const account = await openAccount(stage);
  await moveCredits(stage, administrator, account.organizationId, -BigInt(PURCHASE_CENTS / 4) * NANO_PER_CENT);
  const debt = await readBalance(stage, account);
  const payment = await buy(stage, account);
  const [started, succeeded, refunded] = describeRunEvents(payment);
  if (started === undefined || succeeded === undefined || refunded === undefined) throw new Error("there is no story");
  const copies = context.isQuick ? 120 : 500;
  const deliveries = [
    ...Array.from({ length: copies }, (_, index) => [refunded, started, started][index % 3] ?? started).map((each) =>
      deliver(each),
    ),
    ...forge(succeeded),
  ];
  shuffle(deliveries, context);
  await Promise.all(deliveries.map((each) => ask(stage, "POST", "/api/webhooks/stripe", each)));
  if ((await readBalance(stage, account)) !== debt) throw new Error("money moved before anything was paid");
  await Promise.all(
    Array.from({ length: copies }, () => ask(stage, "POST", "/api/webhooks/stripe", deliver(succeeded))),
  );
  const paidAt = performance.now();
  await requestOrThrow(stage, "POST", "/api/webhooks/stripe", deliver(succeeded));
  await awaitUsable(stage, account, paidAt);
  // Redeliver all events as if a day had passed, including deliveries with yesterday's signature.
  for (const each of [started, succeeded, refunded]) {
    await requestOrThrow(stage, "POST", "/api/webhooks/stripe", deliver(each));
    const stale = await ask(
      stage,
      "POST",
      "/api/webhooks/stripe",
      deliver(each, Math.floor(Date.now() / 1_000) - DAY_SECONDS),
    );
    if (stale.status !== 400) throw new Error(`a day-old signature was answered ${stale.status}`);
  }
  const { data } = await requestOrThrow(stage, "GET", "/api/credits/transactions?pageSize=100", {
    token: account.token,
  });
  const kinds = (data as { kind: string }[])
    .map(({ kind }) => kind)
    .filter((kind) => kind !== "usage")
    .sort();
  if (kinds.join() !== "adjustment,purchase,refund") throw new Error(`the entries are ${kinds.join()}`);
}

async function buy(stage: Stage, account: Account): Promise<Payment> {
  const { purchase } = await requestOrThrow(stage, "POST", "/api/credits/purchases", {
    token: account.token,
    headers: { "idempotency-key": randomUUID() },
    body: { amount: String(BigInt(PURCHASE_CENTS) * NANO_PER_CENT) },
  });
  const { id: purchaseId, organizationId, providerSessionId: sessionId } = purchase;
  return { purchaseId, organizationId, sessionId, cents: PURCHASE_CENTS };
}

async function awaitUsable(stage: Stage, account: Account, since: number): Promise<void> {
  for (;;) {
    const sentAt = performance.now();
    const log = await makeCall(stage.tollgate.url, planContestCall(account, `usable-${randomUUID()}`, 0));
    if (log.status === 200) return;
    if (sentAt - since > USABLE_LIMIT_MS) throw new Error(`still ${log.status} ${log.code} a second after the credit`);
    await pause(20);
  }
}

interface Requested {
  readonly account: Account;
  grants: number;
  readonly purchases: Set<string>;
}

/** Sends one request after another, retrying each with its idempotency key until the platform responds. */
async function keepRequesting(
  stage: Stage,
  administrator: Account,
  requested: Requested,
  until: number,
): Promise<void> {
  const { account, purchases } = requested;
  while (performance.now() < until) {
    const key = { "idempotency-key": randomUUID() };
    const granted = await askUntilAnswered(
      stage,
      "POST",
      `/api/admin/organizations/${account.organizationId}/credits`,
      {
        token: administrator.token,
        headers: key,
        body: { amount: 1_000, reason: "once" },
      },
    );
    if (granted.status !== 201) throw new Error(`a grant was answered ${granted.status}`);
    requested.grants += 1;
    const bought = await askUntilAnswered(stage, "POST", "/api/credits/purchases", {
      token: account.token,
      headers: key,
      body: { amount: 5_000_000_000 },
    });
    if (bought.status !== 201) throw new Error(`a purchase was answered ${bought.status}`);
    purchases.add(bought.body.purchase.id);
  }
}

async function checkRequested(
  stage: Stage,
  account: Account,
  grants: number,
  purchases: ReadonlySet<string>,
): Promise<void> {
  const balance = await readBalance(stage, account);
  if (balance !== BigInt(grants) * 1_000n) throw new Error(`${grants} grants of 1000 made a balance of ${balance}`);
  const { meta } = await requestOrThrow(stage, "GET", "/api/credits/purchases?pageSize=1", { token: account.token });
  if (meta.total !== purchases.size) throw new Error(`${purchases.size} purchases were asked for, ${meta.total} exist`);
}

/** Kills the process that serves requests. Its supervisor starts a new one. */
function killPlatform(stage: Stage): void {
  const pid = stage.tollgate.platformPid();
  if (pid === null) return;
  signalProcess(pid, "SIGKILL");
  stage.kills += 1;
}

function shuffle(list: unknown[], { random }: CellContext): void {
  for (let index = list.length - 1; index > 0; index -= 1) {
    const other = random.integer(0, index);
    [list[index], list[other]] = [list[other], list[index]];
  }
}
