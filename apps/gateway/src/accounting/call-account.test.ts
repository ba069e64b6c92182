import { Failure } from "@tollgate/contracts/failures.ts";
import { CreditWorld } from "@tollgate/domain/credit/credit-world.fixture.ts";
import type { Hold } from "@tollgate/domain/credit/hold.ts";
import { makeUuidV7 } from "@tollgate/domain/ids.ts";
import type { Price } from "@tollgate/domain/pricing/price-call.ts";
import { priceVersionId } from "@tollgate/domain/pricing/price-version.ts";
import { tokenPrice } from "@tollgate/domain/pricing/token-price.ts";
import { NO_USAGE, type Usage } from "@tollgate/domain/pricing/usage.ts";
import type { ClosingFacts, JournaledCall } from "@tollgate/journal/journaled-call.ts";
import { decodeTarget } from "@tollgate/journal/record-blocks.ts";
import { Recovery } from "@tollgate/journal/recover.ts";
import type { ScannedRecord } from "@tollgate/journal/scan-segment.ts";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { unboundedAccounting } from "../accounting.fixture.ts";
import type { Call } from "../call/call.ts";
import type { Deployment } from "../call/deployment.ts";
import type { Exchange } from "../call/exchange.ts";
import { makeChatCall } from "../pipeline/chat-call.fixture.ts";
import { testSettings } from "../test-gateway.fixture.ts";
import type { AccountingContext, JournalWaiter, UsageJournal } from "./accounting.ts";
import { CallAccount, type ExtensionListener } from "./call-account.ts";
import type { CallEstimate } from "./estimate-call.ts";
import { holdPriceOf } from "./record-usage.ts";

const STEP = 100;
const deployment = {
  id: "m-1",
  provider: { name: "openai" },
  shownInfo: {},
  price: tokenPrice(0n, 1_000n),
  priceVersionId: null,
  facts: { maxInputTokens: null },
  usesOwnKey: false,
} as unknown as Deployment;
const settings = testSettings("billing: { provider: fake }");
const output = (outputTokens: number): Usage => ({ ...NO_USAGE, outputTokens, source: "reported" });

/** Records everything written to the journal. */
class Reported implements UsageJournal {
  readonly canAdmit = true;
  readonly opened: JournaledCall[] = [];
  readonly closed: { call: JournaledCall; facts: ClosingFacts; waiter: JournalWaiter | null }[] = [];
  readonly checkpoints: bigint[] = [];

  appendOpen(call: JournaledCall): void {
    this.opened.push({ ...call });
  }

  appendCheckpoint(_id: string, _usage: Usage, cost: bigint): void {
    this.checkpoints.push(cost);
  }

  appendClose(call: JournaledCall, facts: ClosingFacts, waiter: JournalWaiter | null): void {
    this.closed.push({ call: { ...call }, facts, waiter });
  }
}

/** Records the outcomes of hold extensions. */
class Received implements ExtensionListener {
  extended = 0;
  refused: Failure | null = null;

  onExtended(): void {
    this.extended += 1;
  }

  onExtensionRefused(failure: Failure): void {
    this.refused = failure;
  }
}

/** Opens an account with a hold of one step, on a ledger with the given credit. One token costs one nano-USD. */
async function openAccount(credit: bigint, stepTokens = STEP, target: Deployment = deployment) {
  const world = new CreditWorld();
  world.ledger.fund("org_1", credit);
  const { node } = await world.startNode("node");
  const journal = new Reported();
  const { limits, prices } = unboundedAccounting(settings);
  const accounting: AccountingContext = {
    holds: node,
    limits,
    journal,
    prices,
    settings: () => settings,
    recorder: null,
    observer: null,
    contents: null,
    now: () => 0,
    wallClock: () => Date.UTC(2026, 0),
  };
  const eventId = makeUuidV7(Date.UTC(2026, 0));
  const exchange = { eventId, callId: "call-1", startedAtMs: 0, isGone: false } as Exchange;
  const call = Object.assign(makeChatCall(), { exchange }) as Call;
  const request = { organizationId: "org_1", amount: BigInt(STEP), usesCredit: true, budgets: [] };
  const hold: Hold = await world.hold(node, request);
  const amount = BigInt(STEP);
  const estimate: CallEstimate = { inputTokens: 1, outputTokens: STEP, stepTokens, outputLimit: null, amount };
  const account = new CallAccount(accounting, call, target, estimate, hold).begin(null);
  return { account, world, node, journal, hold };
}

describe("stream hold", () => {
  test("grows when a quarter of its last step is left", async () => {
    const { account, hold, world } = await openAccount(1_000_000n);
    const received = new Received();
    expect(account.covers(74, received)).toBe(true);
    expect(hold.amount).toBe(100n);
    expect(account.covers(75, received)).toBe(true);
    await world.clock.advance(50);
    expect(hold.amount).toBe(200n);
    expect(account.covers(174, received)).toBe(true);
    expect(hold.amount).toBe(200n);
    account.covers(175, received);
    await world.clock.advance(50);
    expect(hold.amount).toBe(300n);
  });

  test("covers any burst and exceeds it by at most one and a quarter steps", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.integer({ min: 1, max: 1_000 }), { maxLength: 10 }), async (bursts) => {
        const { account, hold, world } = await openAccount(1_000_000_000n);
        const received = new Received();
        let tokens = 0;
        for (const burst of bursts) {
          tokens += burst;
          // If the hold can't cover the tokens immediately, it covers them after the ledger has responded.
          if (!account.covers(tokens, received)) await world.clock.advance(50);
          expect(account.covers(tokens, received)).toBe(true);
          await world.clock.advance(50);
          expect(hold.amount).toBeGreaterThan(BigInt(tokens));
          expect(hold.amount).toBeLessThanOrEqual(BigInt(Math.max(STEP, tokens + 1.25 * STEP)));
        }
        expect(received.refused).toBeNull();
      }),
    );
  });

  test("stops the stream and reports the reason if it cannot grow", async () => {
    const { account, hold, world } = await openAccount(150n);
    const received = new Received();
    expect(account.covers(80, received)).toBe(true);
    expect(account.covers(100, received)).toBe(false);
    await world.clock.advance(50);
    expect(received).toMatchObject({ extended: 0, refused: { code: "QUOTA_EXCEEDED" } });
    expect(hold.amount).toBe(100n);
  });

  test("never grows if the output is bounded from the start", async () => {
    const { account, hold } = await openAccount(1_000_000n, 0);
    expect(account.covers(5_000, new Received())).toBe(true);
    expect(hold.amount).toBe(100n);
  });
});

describe("closing an account", () => {
  test("charges the usage in full, and takes up to the held amount from the hold", async () => {
    for (const [used, fromLease] of [
      [0, 0n],
      [40, 40n],
      [100, 100n],
      [130, 100n],
    ] as const) {
      const { account, journal, node } = await openAccount(1_000n);
      const outcome = { status: "success", failure: null, usage: output(used), firstTokenMs: 3.6 } as const;
      expect(account.close(outcome, null)).toBe(BigInt(used));
      expect(journal.closed[0]?.facts).toMatchObject({
        cost: BigInt(used),
        fromLease,
        httpStatus: 200,
        firstTokenMs: 4,
      });
      expect(node.openHolds).toBe(0);
    }
  });

  test("records the session that the client names", async () => {
    const { account, journal } = await openAccount(1_000n);
    Object.assign(account.call, { sessionName: "session-1" });
    account.close({ status: "success", failure: null, usage: output(1), firstTokenMs: null }, null);
    expect(journal.closed[0]?.facts.session).toBe("session-1");
  });

  test("records the extended hold", async () => {
    const { account, journal, world } = await openAccount(1_000_000n);
    account.covers(90, new Received());
    await world.clock.advance(50);
    account.close({ status: "success", failure: null, usage: output(120), firstTokenMs: null }, null);
    expect(journal.opened[0]?.hold).toBe(100n);
    expect(journal.closed[0]).toMatchObject({ call: { hold: 200n }, facts: { cost: 120n, fromLease: 120n } });
  });

  test("records the outcome of the call", async () => {
    const failure = new Failure("bad_gateway", "The model's response ended before it was complete.");
    for (const [status, failed, httpStatus, errorCode] of [
      ["failure", failure, 502, "bad_gateway"],
      ["client_disconnect", null, 499, null],
      ["failure", null, 500, null],
    ] as const) {
      const { account, journal } = await openAccount(1_000n);
      account.close({ status, failure: failed, usage: NO_USAGE, firstTokenMs: null }, null);
      expect(journal.closed[0]?.facts).toMatchObject({ status, httpStatus, errorCode, cost: 0n });
    }
  });

  test.for([
    ["a provider that charges the operator", { name: "openrouter", reportsCost: true }, false, 7n],
    ["another provider, which may mean something else", { name: "openai" }, false, undefined],
    ["a provider that charges the caller's own key", { name: "openrouter", reportsCost: true }, true, undefined],
  ] as const)("keeps a reported cost only of %s", async ([, provider, usesOwnKey, reportedCost]) => {
    const change = { provider: provider as unknown as Deployment["provider"], usesOwnKey };
    const { account, journal } = await openAccount(1_000n, STEP, { ...deployment, ...change });
    const usage = { ...output(5), reportedCost: 7n };
    expect(account.close({ status: "success", failure: null, usage, firstTokenMs: null }, null)).toBe(5n);
    expect(journal.closed[0]?.facts.usage).toEqual({
      ...output(5),
      ...(reportedCost !== undefined && { reportedCost }),
    });
  });

  test("is possible only once", async () => {
    const { account, journal } = await openAccount(1_000n);
    const outcome = { status: "success", failure: null, usage: NO_USAGE, firstTokenMs: null } as const;
    account.close(outcome, null);
    expect(() => account.close(outcome, null)).toThrow();
    account.checkpoint(output(5));
    expect(journal).toMatchObject({ closed: { length: 1 }, checkpoints: [] });
  });

  test("leaves no record and no hold for a refused call", async () => {
    const { account, journal, node } = await openAccount(1_000n);
    account.abandon();
    expect(account.isClosed).toBe(true);
    expect(journal.closed).toEqual([]);
    expect(node.openHolds).toBe(0);
  });
});

test("a checkpoint records the current cost", async () => {
  const { account, journal } = await openAccount(1_000n);
  account.checkpoint(output(33));
  expect(journal.checkpoints).toEqual([33n]);
});

describe("a price that depends on the size of the prompt", () => {
  const base = tokenPrice(1_000n, 1_000n);
  const rules = [
    { when: { aboveInputTokens: 1_000 }, prices: { input: 3_000n, output: 5_000n } },
    { when: { serviceTier: "priority" }, prices: { output: 2_000n } },
  ];
  const version = (price: Price, condition: string | null) => priceVersionId("vllm/m", price, condition);
  const long = version(tokenPrice(3_000n, 5_000n), "input above 1000 tokens");
  const target = {
    ...deployment,
    provider: { name: "vllm" },
    upstreamModel: "m",
    offers: {},
    allowedParams: [],
    additionalDropParams: [],
    price: base,
    priceVersionId: version(base, null),
    facts: { ...deployment.facts, rateCard: { base, rules } },
  } as unknown as Deployment;
  const usageOf = (inputTokens: number, outputTokens: number): Usage => ({
    ...NO_USAGE,
    inputTokens,
    outputTokens,
    source: "estimated",
  });
  const versionsOf = (calls: readonly JournaledCall[]) =>
    calls.map((call) => decodeTarget(Buffer.from(call.target)).priceVersionId);

  test("is that of the checkpoint's prompt if the process stops", async () => {
    const { account, journal } = await openAccount(1_000_000n, STEP, target);
    account.checkpoint(usageOf(2_000, 10));
    account.checkpoint(usageOf(2_000, 20));
    expect(journal.checkpoints).toEqual([6_050n, 6_100n]);
    // The version is written once, before the first checkpoint at its price.
    expect(versionsOf(journal.opened)).toEqual([version(base, null), long]);
    const recovery = new Recovery();
    const recorded = journal.opened.map((call) => ({
      kind: "open",
      call: { ...call, target: decodeTarget(Buffer.from(call.target)) },
    }));
    const checkpoint = { kind: "checkpoint", id: journal.opened[0]?.id, usage: usageOf(2_000, 20), cost: 6_100n };
    recovery.add(
      [...recorded, checkpoint].map((record) => ({ record }) as unknown as ScannedRecord),
      false,
    );
    expect(recovery.finish(0).closings).toMatchObject([
      { call: { target: { priceVersionId: long } }, facts: { cost: 6_100n } },
    ]);
  });

  test("is the one of the response in the end", async () => {
    const { account, journal } = await openAccount(1_000_000n, STEP, target);
    account.checkpoint(usageOf(2_000, 10));
    account.checkpoint(usageOf(900, 10));
    expect(versionsOf(journal.opened)).toEqual([version(base, null), long, version(base, null)]);
    account.checkpoint(usageOf(2_000, 10));
    const usage: Usage = { ...usageOf(1_000, 10), source: "reported" };
    account.close({ status: "success", failure: null, usage, firstTokenMs: null }, null);
    expect(journal.closed[0]?.facts.cost).toBe(1_010n);
    expect(versionsOf(journal.closed.map(({ call }) => call))).toEqual([version(base, null)]);
  });

  test("is not written again if it has no conditions or they don't apply", async () => {
    for (const other of [deployment, target]) {
      const { account, journal } = await openAccount(1_000_000n, STEP, other);
      account.checkpoint(usageOf(10, 10));
      expect(journal.opened).toHaveLength(1);
    }
  });

  test("applies to lost attempts, also to output beside a long prompt", async () => {
    const { account, journal } = await openAccount(1_000_000n, STEP, target);
    account.loseAttempt("retry", usageOf(2_000, 10));
    account.loseAttempt("timeout", usageOf(0, 10), 2_000);
    account.loseAttempt("timeout", usageOf(0, 10));
    account.close({ status: "failure", failure: null, usage: NO_USAGE, firstTokenMs: null }, null);
    const lost = journal.closed[0]?.call.lostAttempts.map(({ cost, priceVersionId: id }) => [cost, id]);
    expect(lost).toEqual([
      [6_050n, long],
      [50n, long],
      [10n, version(base, null)],
    ]);
  });

  test("stays open for the tier of the account after a checkpoint", async () => {
    const openai = { ...target, provider: { name: "openai" } } as unknown as Deployment;
    const { account } = await openAccount(1_000_000n, STEP, openai);
    account.checkpoint({ ...usageOf(10, 10), source: "reported" });
    expect(holdPriceOf(account.call, openai)?.output).toBe(2_000n);
  });
});

describe("fee per request", () => {
  const base = tokenPrice(0n, 1_000n);
  const rules = [{ when: { serviceTier: "priority" }, prices: { perRequest: 7_000n } }];
  const closeAt = async (target: object, usage: Usage) => {
    const { account, journal } = await openAccount(1_000_000n, STEP, { ...deployment, ...target } as Deployment);
    account.checkpoint(usage);
    account.close({ status: "success", failure: null, usage, firstTokenMs: null }, null);
    return { cost: journal.closed[0]?.facts.cost, checkpoint: journal.checkpoints[0] };
  };

  test("is charged if only the tier that was served has one", async () => {
    const target = { price: base, facts: { ...deployment.facts, rateCard: { base, rules } } };
    const served = { serviceTier: "priority", searchContext: null, region: null };
    expect((await closeAt(target, { ...output(10), served })).cost).toBe(17n);
    expect((await closeAt(target, output(10))).cost).toBe(10n);
  });

  test("is charged if only the model that responds has one", async () => {
    const { account, journal } = await openAccount(1_000_000n);
    account.serveAs({ price: tokenPrice(0n, 2_000n, { perRequest: 7_000n }), priceVersionId: null, cost: null });
    account.close({ status: "success", failure: null, usage: output(10), firstTokenMs: null }, null);
    expect(journal.closed[0]?.facts).toMatchObject({ cost: 27n, loss: 0n, usage: { requestFees: 1 } });
  });

  test("is part of the usage that is charged after a crash", async () => {
    const price = tokenPrice(0n, 1_000n, { perRequest: 7_000n });
    expect(await closeAt({ price }, output(10))).toEqual({ cost: 17n, checkpoint: 17n });
  });
});
