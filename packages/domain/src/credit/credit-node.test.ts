import { expect, test } from "vitest";
import type { AdmissionRule } from "./admission.ts";
import { CreditWorld, keyBudget, Received, wanting } from "./credit-world.fixture.ts";

test("a first hold waits for one statement, and later holds use its unused credit from memory", async () => {
  const { world, node } = await funded(1_000_000n);
  expect(node.take(wanting(100n))).toBeNull();
  const first = await world.hold(node, wanting(100n));
  expect(world.ledger.statements).toBe(1);
  expect(node.release(first, 30n)).toMatchObject({ fromLease: 30n, budgets: [] });
  expect(node.take(wanting(70n))).not.toBeNull();
  expect(node.take(wanting(1n))).toBeNull();
});

test("a cost above the hold is charged to the lease only up to the hold", async () => {
  const { world, node } = await funded(1_000_000n);
  const budget = keyBudget("key_1", 5_000n);
  const hold = await world.hold(node, wanting(100n, [budget]));
  expect(node.release(hold, 250n)).toMatchObject({
    fromLease: 100n,
    budgets: [{ ...budget.window, fromLease: 100n }],
  });
});

test("a hold draws on all of its allowances or on none", async () => {
  const { world, node } = await funded(1_000_000n);
  const tight = keyBudget("key_tight", 150n);
  await world.hold(node, wanting(100n, [tight]));
  const refused = new Received();
  node.wait(wanting(100n, [keyBudget("key_wide", 1_000_000n), tight]), refused);
  await world.clock.advance(20);
  expect(refused.denial).toEqual({
    kind: "refused",
    allowance: { kind: "budget", ...tight },
    required: 100n,
    free: 50n,
    balance: 150n,
  });
  expect(node.freeCredit("org")).toBe(1_000_000n - 100n);
  expect(world.ledger.outstanding("org", "a", 1, { kind: "budget", ...keyBudget("key_wide", 0n) })).toBe(0n);
});

test("a hold that uses no credit leaves the credit untouched", async () => {
  const { world, node } = await funded(0n);
  const budget = keyBudget("key_1", 5_000n);
  const hold = await world.hold(node, { organizationId: "org", amount: 100n, usesCredit: false, budgets: [budget] });
  expect(node.release(hold, 40n)).toMatchObject({ fromLease: 0n, budgets: [{ fromLease: 40n }] });
  expect(world.ledger.outstanding("org", "a", 1)).toBe(0n);
});

test("a zero hold needs no ledger request and still lists its budgets", () => {
  const { node } = new CreditWorld().addNode("a");
  const budget = keyBudget("key_1", 5_000n);
  const hold = node.take(wanting(0n, [budget]));
  if (hold === null) throw new Error("refused");
  expect(node.release(hold, 12n)).toMatchObject({ fromLease: 0n, budgets: [{ ...budget.window, fromLease: 0n }] });
});

test("a hold can be released only once", async () => {
  const { world, node } = await funded(1_000_000n);
  const hold = await world.hold(node, wanting(100n));
  node.release(hold, 100n);
  expect(() => node.release(hold, 100n)).toThrow("already released");
});

test("a busy organization gets a slice of at most half its node's share, and an organization with a single call gets no slice", async () => {
  const { world, node } = await funded(1_000_000n);
  await world.hold(node, wanting(100n));
  expect(world.ledger.outstanding("org", "a", 1)).toBe(100n);
  await world.hold(node, wanting(100n));
  expect(world.ledger.outstanding("org", "a", 1)).toBe(400n);
  for (let call = 0; call < 2; call += 1) expect(node.take(wanting(100n))).not.toBeNull();
});

test("refills are requested ahead of demand, at most every 25 ms", async () => {
  const { world, node } = await funded(1_000_000_000n);
  for (let call = 0; call < 3; call += 1) node.release(await world.hold(node, wanting(1_000n)), 1_000n);
  const statements = world.ledger.statements;
  let misses = 0;
  for (let call = 0; call < 400; call += 1) {
    const hold = node.take(wanting(10n));
    if (hold === null) misses += 1;
    else node.release(hold, 10n);
    await world.clock.advance(1);
  }
  expect(misses).toBe(0);
  const refills = world.ledger.statements - statements;
  expect(refills).toBeGreaterThan(0);
  expect(refills).toBeLessThanOrEqual(400 / 25);
});

test("idle credit is returned when an organization goes quiet, and surplus credit at a heartbeat", async () => {
  const { world, node } = await funded(1_000_000_000n);
  const large = await world.hold(node, wanting(100_000n));
  node.release(large, 0n);
  for (let second = 0; second < 100; second += 1) {
    node.release(await world.hold(node, wanting(10n)), 1n);
    await world.clock.advance(1_000);
  }
  // The large hold is long past, so the idle credit is proportional to the small holds.
  expect(world.ledger.outstanding("org", "a", 1)).toBeLessThan(1_000n);
  await world.clock.advance(50_000);
  expect(world.ledger.outstanding("org", "a", 1)).toBe(100n);
});

test("near zero, a call's unused credit is returned immediately and the next call can use it", async () => {
  const { world, node } = await funded(150n);
  const first = await world.hold(node, wanting(100n));
  const refused = new Received();
  node.wait(wanting(100n), refused);
  await world.clock.advance(5);
  expect(refused.denial).toMatchObject({ kind: "refused", required: 100n, free: 50n, balance: 150n });
  node.release(first, 20n);
  await world.clock.advance(5);
  expect(world.ledger.free("org")).toBe(130n);
  await world.hold(node, wanting(130n));
});

test("if the balance covers five of many calls, five are granted and each remaining call is refused once", async () => {
  const { world, node } = await funded(500n);
  const received = Array.from({ length: 300 }, () => new Received());
  for (const waiter of received) node.wait(wanting(100n), waiter);
  await world.clock.advance(100);
  expect(received.filter(({ hold }) => hold !== null)).toHaveLength(5);
  expect(received.filter(({ denial }) => denial?.kind === "refused")).toHaveLength(295);
  expect(received.every(({ times }) => times === 1)).toBe(true);
  expect(world.ledger.statements).toBeLessThan(10);
});

test("under the positive policy, one hold can exceed the balance by at most the overdraft, and no further holds are granted", async () => {
  for (const [overdraft, granted] of [
    [50n, 3],
    [49n, 2],
  ] as const) {
    const { world, node } = await funded(250n, { policy: "positive", overdraft });
    const received = Array.from({ length: 10 }, () => new Received());
    for (const waiter of received) node.wait(wanting(100n), waiter);
    await world.clock.advance(100);
    expect(received.filter(({ hold }) => hold !== null)).toHaveLength(granted);
  }
});

test("under the strict policy, holds use at most the credit and the overdraft", async () => {
  const { world, node } = await funded(250n, { policy: "strict", overdraft: 150n });
  const received = Array.from({ length: 10 }, () => new Received());
  for (const waiter of received) node.wait(wanting(100n), waiter);
  await world.clock.advance(100);
  expect(received.filter(({ hold }) => hold !== null)).toHaveLength(4);
  expect(world.ledger.free("org")).toBe(-150n);
  expect(received.at(-1)?.denial).toMatchObject({ kind: "refused", free: -150n, required: 100n });
});

test("one nano-USD does not cover a hold of 67 USD under any policy", async () => {
  for (const policy of ["strict", "positive", "nonnegative"] as const) {
    const { world, node } = await funded(1n, { policy, overdraft: 1_000_000_000n });
    const received = new Received();
    node.wait(wanting(67_108_864_000n), received);
    await world.clock.advance(100);
    expect(received.denial).toMatchObject({ kind: "refused", free: 1n });
  }
});

test("a stream's hold can be raised within the overdraft and is refused beyond it", async () => {
  const { world, node } = await funded(100n, { policy: "strict", overdraft: 50n });
  const hold = await world.hold(node, wanting(100n));
  const [within, beyond] = [new Received(), new Received()];
  expect(node.extend(hold, 50n, within)).toBe(false);
  await world.clock.advance(100);
  expect(within.hold?.amount).toBe(150n);
  expect(node.extend(hold, 1n, beyond)).toBe(false);
  await world.clock.advance(100);
  expect(beyond.denial).toMatchObject({ kind: "refused", free: -50n });
});

test("refuses a hold above the maximum, or an extension above it, without a ledger request", async () => {
  const world = new CreditWorld();
  world.ledger.fund("org", 1_000_000n);
  const { node } = await world.startNode("a", undefined, 100n);
  const [first, raised] = [new Received(), new Received()];
  expect(node.take(wanting(101n))).toBeNull();
  node.wait(wanting(101n), first);
  await world.clock.advance(10);
  expect(first.denial).toEqual({ kind: "too_large", required: 101n, limit: 100n });
  expect(world.ledger.statements).toBe(0);
  const hold = await world.hold(node, wanting(60n));
  expect(node.extend(hold, 41n, raised)).toBe(false);
  await world.clock.advance(10);
  expect(raised.denial).toEqual({ kind: "too_large", required: 101n, limit: 100n });
  expect(hold.amount).toBe(60n);
  await world.clock.advance(0);
  expect(node.extend(hold, 40n, new Received())).toBe(false);
  await world.clock.advance(100);
  expect(hold.amount).toBe(100n);
});

test("a hold that ends before its extension is refused gets no callback", async () => {
  const world = new CreditWorld();
  world.ledger.fund("org", 1_000n);
  const { node } = await world.startNode("a", undefined, 100n);
  const hold = await world.hold(node, wanting(60n));
  const raised = new Received();
  node.extend(hold, 41n, raised);
  node.release(hold, 10n);
  await world.clock.advance(10);
  expect(raised.times).toBe(0);
});

test("the overdraft does not raise a budget under the strict policy", async () => {
  const budget = keyBudget("key_1", 100n);
  const { world, node } = await funded(1_000n, { policy: "strict", overdraft: 500n });
  const received = new Received();
  node.wait(wanting(101n, [budget]), received);
  await world.clock.advance(100);
  expect(received.denial).toMatchObject({ kind: "refused", allowance: { kind: "budget" }, free: 100n });
});

test("recalls idle credit from another node before refusing a hold", async () => {
  const world = new CreditWorld();
  world.ledger.fund("org", 2_500n);
  const { node: one } = await world.startNode("a");
  const { node: other } = await world.startNode("b");
  for (let call = 0; call < 4; call += 1) one.release(await world.hold(one, wanting(20n)), 0n);
  const idle = world.ledger.outstanding("org", "a", 1);
  expect(idle).toBeGreaterThan(0n);

  const received = new Received();
  other.wait(wanting(2_500n), received);
  await world.clock.advance(50);
  expect(received.hold?.amount).toBe(2_500n);
  expect(world.ledger.outstanding("org", "a", 1)).toBe(0n);
});

test("if a live node does not respond to a recall, the wait ends after 250 ms without a refusal", async () => {
  const world = new CreditWorld();
  world.ledger.fund("org", 2_500n);
  const { node: deaf } = await world.startNode("a");
  const { node: other } = await world.startNode("b");
  world.ledger.onRecall = () => {};
  for (let call = 0; call < 4; call += 1) deaf.release(await world.hold(deaf, wanting(20n)), 0n);

  const received = new Received();
  other.wait(wanting(2_500n), received);
  // The waiting call doesn't delay calls that fit.
  await world.clock.advance(30);
  const small = new Received();
  other.wait(wanting(20n, [], "org2"), small);
  world.ledger.fund("org2", 1_000n);
  await world.clock.advance(200);
  expect(small.hold).not.toBeNull();
  expect(received.times).toBe(0);
  await world.clock.advance(50);
  expect(received.denial).toEqual({ kind: "unavailable", reason: "recall" });
});

test("a lost recall is repeated even if there are always calls that wait for it", async () => {
  const world = new CreditWorld();
  world.ledger.fund("org", 2_500n);
  const { node: rich } = await world.startNode("a");
  const { node: other } = await world.startNode("b");
  for (let call = 0; call < 4; call += 1) rich.release(await world.hold(rich, wanting(20n)), 0n);
  const deliver = world.ledger.onRecall;
  world.ledger.onRecall = () => {
    world.ledger.onRecall = deliver;
  };

  const calls: Received[] = [];
  for (let call = 0; call < 4; call += 1) {
    const received = new Received();
    calls.push(received);
    other.wait(wanting(2_500n), received);
    await world.clock.advance(100);
  }
  await world.clock.advance(100);
  expect(calls[0]?.denial).toEqual({ kind: "unavailable", reason: "recall" });
  expect(calls.filter(({ hold }) => hold !== null)).toHaveLength(1);
});

test("a node that can't return its credit makes holds of others unavailable after a second, not refused", async () => {
  const world = new CreditWorld();
  world.ledger.fund("org", 100n);
  const { node: one } = await world.startNode("a");
  const { node: other } = await world.startNode("b");
  const open = await world.hold(one, wanting(90n));
  const before = new Received();
  other.wait(wanting(60n), before);
  await world.clock.advance(50);
  expect(before.denial?.kind).toBe("refused");

  world.ledger.fate = (call, nodeId) => (call === "lease" && nodeId === "a" ? "request lost" : "answered");
  one.release(open, 0n);
  await world.clock.advance(1_100);
  const after = new Received();
  other.wait(wanting(60n), after);
  await world.clock.advance(300);
  expect(after.denial).toEqual({ kind: "unavailable", reason: "recall" });
});

test("a call whose budget is being recalled does not block calls with other keys", async () => {
  const world = new CreditWorld();
  world.ledger.fund("org", 1_000_000n);
  const { node: deaf } = await world.startNode("a");
  const { node: other } = await world.startNode("b");
  world.ledger.onRecall = () => {};
  const shared = keyBudget("key_shared", 100n);
  await world.hold(deaf, wanting(60n, [shared]));

  const stuck = new Received();
  other.wait(wanting(60n, [shared]), stuck);
  await world.clock.advance(10);
  expect(stuck.times).toBe(0);
  const free = new Received();
  other.wait(wanting(60n, [keyBudget("key_other", 1_000n)]), free);
  await world.clock.advance(5);
  expect(free.hold).not.toBeNull();
  await world.clock.advance(250);
  expect(stuck.denial).toEqual({ kind: "unavailable", reason: "recall" });
});

test("added credit is granted to waiting calls", async () => {
  const world = new CreditWorld();
  world.ledger.fund("org", 100n);
  const { node: deaf } = await world.startNode("a");
  const { node: other } = await world.startNode("b");
  world.ledger.onRecall = () => {};
  await world.hold(deaf, wanting(60n));
  const received = new Received();
  other.wait(wanting(60n), received);
  await world.clock.advance(100);
  expect(received.times).toBe(0);
  world.ledger.fund("org", 200n);
  other.creditChanged("org");
  await world.clock.advance(2);
  expect(received.hold).not.toBeNull();
});

test("leases are valid for 28 s, by either clock, after the last confirmed heartbeat was sent", async () => {
  for (const pass of ["monotonic", "wall"] as const) {
    const { world, node } = await funded(1_000_000n);
    node.release(await world.hold(node, wanting(100n)), 0n);
    world.ledger.fate = () => "request lost";
    if (pass === "wall") world.clock.jumpWall(27_900);
    else await world.clock.advance(27_900);
    const kept = node.take(wanting(1n));
    expect(kept).not.toBeNull();
    if (pass === "wall") world.clock.jumpWall(100);
    else await world.clock.advance(100);
    expect(node.take(wanting(1n))).toBeNull();
  }
});

test("a paused process uses no credit before the ledger has confirmed its lease", async () => {
  const { world, node } = await funded(1_000_000n);
  const before = await world.hold(node, wanting(100n));
  node.release(before, 0n);
  world.clock.freeze(100_000);
  world.ledger.reclaim("a");
  expect(node.take(wanting(100n))).toBeNull();
  const received = new Received();
  node.wait(wanting(100n), received);
  await world.clock.advance(50);
  // The lease had been reclaimed, so the node registered a new epoch.
  expect(received.hold?.epoch).toBe(2);
});

test("a lease reclaimed from a silent process is not used when the process's heartbeats succeed again", async () => {
  const { world, node } = await funded(1_000_000n);
  node.release(await world.hold(node, wanting(100n)), 0n);
  world.clock.freeze(100_000);
  world.ledger.reclaim("a");
  for (let step = 0; step < 100; step += 1) {
    expect(node.take(wanting(100n))).toBeNull();
    await world.clock.advance(0.25);
  }
  expect(world.ledger.beats.length).toBeGreaterThan(0);
});

test("calls resume within one heartbeat of a wall clock jump", async () => {
  const { world, node } = await funded(1_000_000n);
  node.release(await world.hold(node, wanting(100n)), 0n);
  world.clock.jumpWall(3_600_000);
  expect((await world.hold(node, wanting(100n))).epoch).toBe(1);
});

test("time in which the process was suspended does not count toward a call's wait for the ledger", async () => {
  const { world, node } = await funded(1_000_000n);
  world.ledger.latencyMs = 2_200;
  const received = new Received();
  node.wait(wanting(100n), received);
  world.clock.freeze(2_000);
  await world.clock.advance(1_200);
  expect(received.denial).toBeNull();
  expect(received.hold).not.toBeNull();
});

test("while the ledger is unavailable, leased credit is used and other calls fail within two seconds", async () => {
  const { world, node } = await funded(1_000_000n);
  node.release(await world.hold(node, wanting(100n)), 0n);
  world.ledger.fate = () => "request lost";
  expect(node.take(wanting(100n))).not.toBeNull();
  const received = new Received();
  node.wait(wanting(100n), received);
  await world.clock.advance(1_999);
  expect(received.times).toBe(0);
  await world.clock.advance(1);
  expect(received.denial).toEqual({ kind: "unavailable", reason: "ledger" });
});

test("a call that waits for the node's registration is granted afterward", async () => {
  const world = new CreditWorld();
  world.ledger.fund("org", 1_000n);
  world.ledger.fate = () => "request lost";
  const { node } = world.addNode("a");
  const started = node.start(4, []);
  const received = new Received();
  node.wait(wanting(100n), received);
  await world.clock.advance(500);
  world.ledger.fate = () => "answered";
  await world.clock.advance(1_000);
  await started;
  expect(received.hold?.epoch).toBe(5);
  expect(world.ledger.closed).toEqual([{ nodeId: "a", beforeEpoch: 5, pending: [] }]);
});

test.for(["request lost", "answer lost"] as const)(
  "after a lost message (%s), the request is sent again with the same number, and no credit is leased twice",
  async (fate) => {
    const { world, node } = await funded(150n);
    const first = await world.hold(node, wanting(100n));
    // Near zero, the release returns 90. The outcome of that request is unknown.
    world.ledger.fate = (call) => (call === "lease" ? fate : "answered");
    node.release(first, 10n);
    const received = new Received();
    node.wait(wanting(140n), received);
    await world.clock.advance(100);
    world.ledger.fate = () => "answered";
    await world.clock.advance(600);
    expect(received.hold?.amount).toBe(140n);
    expect(world.ledger.outstanding("org", "a", 1)).toBe(150n);
  },
);

test("credit that a lost request may have returned is not used, even if the next request finds the row busy", async () => {
  const { world, node } = await funded(150n);
  const hold = await world.hold(node, wanting(100n));
  const fates = ["answer lost", "busy", "busy"] as const;
  let statement = 0;
  world.ledger.fate = (call) => {
    if (call !== "lease") return "answered";
    statement += 1;
    return fates[statement - 1] ?? "answered";
  };
  node.release(hold, 10n);
  for (let step = 0; step < 60; step += 1) {
    expect(node.take(wanting(90n))).toBeNull();
    await world.clock.advance(0.5);
  }
  expect(world.ledger.statements).toBeGreaterThanOrEqual(4);
  expect(world.ledger.outstanding("org", "a", 1)).toBe(10n);
});

test("credit that may have been returned stays unused although the organization is busy again", async () => {
  const { world, node } = await funded(1_000_000n);
  node.release(await world.hold(node, wanting(100n)), 0n);
  world.ledger.fate = (call) => (call === "lease" ? "answer lost" : "answered");
  await world.clock.advance(40_005);
  expect(world.ledger.outstanding("org", "a", 1)).toBe(0n);
  node.wait(wanting(500n), new Received())();
  for (let step = 0; step < 200; step += 1) {
    expect(node.take(wanting(100n))).toBeNull();
    await world.clock.advance(0.5);
  }
});

test("a recall that only a repeated request responded to gets another response", async () => {
  const world = new CreditWorld();
  world.ledger.fund("org", 1_000n);
  const { node: one } = await world.startNode("a");
  const { node: other } = await world.startNode("b");
  await world.hold(one, wanting(100n));
  // The request is applied, but its response is lost. Then the recall arrives, and the repeated request changes
  // nothing.
  world.ledger.fate = (call) => (call === "lease" ? "answer lost" : "answered");
  const waiting = new Received();
  one.wait(wanting(100n), waiting);
  await world.clock.advance(1);
  world.ledger.fate = () => "answered";
  const received = new Received();
  other.wait(wanting(900n), received);
  await world.clock.advance(200);
  expect(waiting.hold).not.toBeNull();
  expect(received.denial?.kind).toBe("refused");
});

test("waiting calls are granted in order of arrival", async () => {
  const { world, node } = await funded(1_000_000n);
  const open = await world.hold(node, wanting(50n));
  world.ledger.fate = (call) => (call === "lease" ? "busy" : "answered");
  const [large, small] = [new Received(), new Received()];
  node.wait(wanting(100n), large);
  node.wait(wanting(10n), small);
  node.release(open, 0n);
  await world.clock.advance(20);
  expect(node.take(wanting(10n))).toBeNull();
  expect([large.times, small.times]).toEqual([0, 0]);
  world.ledger.fate = () => "answered";
  await world.clock.advance(5);
  expect([large.hold?.amount, small.hold?.amount]).toEqual([100n, 10n]);
});

test("a refusal affects only calls that need more than the available credit", async () => {
  const { world, node } = await funded(50n);
  world.ledger.fate = (call) => (call === "lease" ? "busy" : "answered");
  const [large, small] = [new Received(), new Received()];
  node.wait(wanting(100n), large);
  node.wait(wanting(10n), small);
  await world.clock.advance(5);
  world.ledger.fate = () => "answered";
  await world.clock.advance(10);
  expect(large.denial?.kind).toBe("refused");
  expect(small.hold?.amount).toBe(10n);
});

test("a call is not refused credit that another call on this node has just released", async () => {
  const { world, node } = await funded(150n);
  const open = await world.hold(node, wanting(100n));
  const received = new Received();
  node.wait(wanting(120n), received);
  await world.clock.advance(0.7);
  node.release(open, 0n);
  await world.clock.advance(10);
  expect(received.hold?.amount).toBe(120n);
});

test("a call that is canceled during an earlier grant from the same ledger response gets no hold", async () => {
  const { world, node } = await funded(1_000_000n);
  world.ledger.fate = (call) => (call === "lease" ? "busy" : "answered");
  const second = new Received();
  let cancel = (): void => {};
  node.wait(wanting(100n), { granted: () => cancel(), denied: () => {} });
  cancel = node.wait(wanting(100n), second);
  await world.clock.advance(5);
  world.ledger.fate = () => "answered";
  await world.clock.advance(10);
  expect(second.times).toBe(0);
  expect(node.openHolds).toBe(1);
  expect(node.take(wanting(100n))).not.toBeNull();
});

test("a request for a busy row is retried", async () => {
  const { world, node } = await funded(1_000n);
  world.ledger.fate = (call) => (call === "lease" ? "busy" : "answered");
  const received = new Received();
  node.wait(wanting(100n), received);
  await world.clock.advance(20);
  expect(world.ledger.statements).toBeLessThanOrEqual(11);
  world.ledger.fate = () => "answered";
  await world.clock.advance(5);
  expect(received.hold).not.toBeNull();
});

test("a hold granted to a canceled call becomes idle credit", async () => {
  const { world, node } = await funded(1_000_000n);
  const received = new Received();
  const cancel = node.wait(wanting(100n), received);
  await world.clock.advance(0.6);
  cancel();
  await world.clock.advance(50);
  expect(received.times).toBe(0);
  expect(node.take(wanting(100n))).not.toBeNull();
});

test("an extension is granted immediately from idle credit, or else waits for the ledger", async () => {
  const { world, node } = await funded(1_000_000n);
  const budget = keyBudget("key_1", 10_000n);
  node.release(await world.hold(node, wanting(150n, [budget])), 0n);
  const hold = await world.hold(node, wanting(100n, [budget]));
  const received = new Received();
  expect(node.extend(hold, 50n, received)).toBe(true);
  expect(hold.amount).toBe(150n);
  expect(node.extend(hold, 5_000n, received)).toBe(false);
  await world.clock.advance(20);
  expect(received.hold).toBe(hold);
  expect(node.release(hold, 6_000n)).toMatchObject({ fromLease: 5_150n, budgets: [{ fromLease: 5_150n }] });
});

test("a refused extension leaves the hold unchanged, and releasing a hold cancels its pending extension", async () => {
  const { world, node } = await funded(150n);
  const hold = await world.hold(node, wanting(100n));
  const refused = new Received();
  node.extend(hold, 100n, refused);
  await world.clock.advance(20);
  expect(refused.denial?.kind).toBe("refused");
  expect(hold.amount).toBe(100n);
  const unheard = new Received();
  node.extend(hold, 100n, unheard);
  expect(node.release(hold, 100n).fromLease).toBe(100n);
  await world.clock.advance(3_000);
  expect(unheard.times).toBe(0);
});

test("a zero hold can be raised", async () => {
  const { world, node } = await funded(1_000n);
  const hold = await world.hold(node, wanting(0n));
  const received = new Received();
  expect(node.extend(hold, 100n, received)).toBe(false);
  await world.clock.advance(20);
  expect(received.hold).toBe(hold);
  expect(node.release(hold, 60n).fromLease).toBe(60n);
  expect(node.openHolds).toBe(0);
});

test("a fenced node drops its leases, continues under a new epoch, and closes the old epoch after its calls finish", async () => {
  const { world, node, inWorld } = await funded(1_000_000n);
  const old = await world.hold(node, wanting(100n));
  world.ledger.nodes.set("a", { epoch: 7, beat: 0, aliveUntilMs: 0 });
  await world.clock.advance(10_010);
  expect(inWorld.epochs).toEqual([1, 8]);
  expect(inWorld.restorations).toBe(0);
  expect((await world.hold(node, wanting(50n))).epoch).toBe(8);
  await world.clock.advance(30_000);
  expect(world.ledger.outstanding("org", "a", 1)).toBe(100n);

  expect(old.epoch).toBe(1);
  expect(node.release(old, 30n).fromLease).toBe(30n);
  inWorld.pending = [{ id: "event", organizationId: "org", epoch: 1, fromLease: 30n, budgets: [] }];
  await world.clock.advance(10_010);
  expect(world.ledger.outstanding("org", "a", 1)).toBe(30n);
  expect(world.ledger.outstanding("org", "a", 8)).toBeGreaterThanOrEqual(50n);
});

test("a hold from an older epoch cannot be extended", async () => {
  const { world, node } = await funded(1_000_000n);
  const old = await world.hold(node, wanting(100n));
  world.ledger.nodes.set("a", { epoch: 7, beat: 0, aliveUntilMs: 0 });
  await world.clock.advance(10_010);
  const received = new Received();
  expect(node.extend(old, 10n, received)).toBe(false);
  await world.clock.advance(1);
  expect(received.denial).toEqual({ kind: "unavailable", reason: "ledger" });
});

test("detects a database older than the node's state by its epoch or its heartbeats", async () => {
  for (const stored of [
    { epoch: 0, beat: 0 },
    { epoch: 1, beat: 1 },
  ]) {
    const { world, inWorld } = await funded(1_000n);
    await world.clock.advance(30_010);
    expect(inWorld.restorations).toBe(0);
    world.ledger.nodes.set("a", { ...stored, aliveUntilMs: 0 });
    await world.clock.advance(10_010);
    expect(inWorld.restorations).toBe(1);
    expect(inWorld.epochs).toEqual([1, 2]);
  }
});

test("lost heartbeats are not mistaken for a restored database", async () => {
  const { world, inWorld } = await funded(1_000n);
  let call = 0;
  world.ledger.fate = (kind) => {
    if (kind !== "heartbeat") return "answered";
    call += 1;
    return call % 3 === 0 ? "answer lost" : call % 3 === 1 ? "request lost" : "answered";
  };
  await world.clock.advance(120_000);
  expect(inWorld.restorations).toBe(0);
  expect(inWorld.epochs).toEqual([1]);
});

test("a window that has ended returns its idle credit and is removed, but its running call still settles in it", async () => {
  const { world, node } = await funded(1_000_000n);
  const endsAtMs = world.clock.wallMs() + 20_000;
  const budget = keyBudget("key_1", 10_000n, 0, endsAtMs);
  const allowance = { kind: "budget", ...budget } as const;
  const running = await world.hold(node, wanting(100n, [budget]));
  node.release(await world.hold(node, wanting(100n, [budget])), 0n);
  expect(world.ledger.outstanding("org", "a", 1, allowance)).toBeGreaterThan(200n);
  await world.clock.advance(40_100);
  expect(world.ledger.outstanding("org", "a", 1, allowance)).toBe(100n);
  expect(node.release(running, 60n).budgets).toEqual([{ ...budget.window, fromLease: 60n }]);
  await world.clock.advance(20_100);
  expect(world.ledger.outstanding("org", "a", 1, allowance)).toBe(60n);

  // The clock is set back: credit used in the removed window must not be granted again.
  world.clock.jumpWall(-3_600_000);
  const unpaid = { organizationId: "org", amount: 100n, usesCredit: false, budgets: [budget] };
  await world.hold(node, unpaid);
  expect(world.ledger.outstanding("org", "a", 1, allowance)).toBe(160n);
  expect(node.take({ ...unpaid, amount: 1n })).toBeNull();
});

test("an organization that is quiet for ten minutes is removed from memory, and its usage is loaded again later", async () => {
  const { world, node } = await funded(1_000_000n);
  node.release(await world.hold(node, wanting(100n)), 70n);
  expect(node.freeCredit("org")).not.toBeNull();
  await world.clock.advance(700_000);
  expect(node.freeCredit("org")).toBeNull();
  expect(world.ledger.outstanding("org", "a", 1)).toBe(70n);
  await world.hold(node, wanting(100n));
  expect(world.ledger.outstanding("org", "a", 1)).toBe(170n);
  expect(node.take(wanting(1n))).toBeNull();
});

test("free credit is the unleased credit plus the idle credit of this node", async () => {
  const { world, node } = await funded(1_000n);
  expect(node.freeCredit("org")).toBeNull();
  const hold = await world.hold(node, wanting(100n));
  expect(node.freeCredit("org")).toBe(900n);
  node.release(hold, 60n);
  expect(node.freeCredit("org")).toBe(940n);
});

test("closing returns all credit except the amounts of pending events, and refuses new calls", async () => {
  const { world, node } = await funded(1_000_000n);
  const hold = await world.hold(node, wanting(100n));
  const open = node.close([]);
  const tooEarly = expect(open).rejects.toThrow("1 holds are still open");
  await world.clock.advance(100);
  await tooEarly;
  node.release(hold, 40n);
  const received = new Received();
  node.wait(wanting(1n), received);
  const closed = node.close([{ id: "event", organizationId: "org", epoch: 1, fromLease: 40n, budgets: [] }]);
  await world.clock.advance(100);
  await closed;
  expect(received.denial).toEqual({ kind: "unavailable", reason: "ledger" });
  expect(node.take(wanting(1n))).toBeNull();
  expect(world.ledger.outstanding("org", "a", 1)).toBe(40n);
});

test("closing reports that nothing is unconfirmed anymore, even if the ledger fails at first", async () => {
  const { world, inWorld, node } = await funded(1_000_000n);
  inWorld.oldestUnconfirmedAtMs = 5;
  await world.clock.advance(10_100);
  expect(world.ledger.beats).toMatchObject([{ beat: 1, oldestUnconfirmedAtMs: 5 }]);
  inWorld.oldestUnconfirmedAtMs = null;
  let tries = 0;
  world.ledger.fate = (call) => (call === "heartbeat" && tries++ === 0 ? "request lost" : "answered");
  const closed = node.close([]);
  await world.clock.advance(10_000);
  await closed;
  expect(world.ledger.beats.at(-1)).toMatchObject({ epoch: 1, oldestUnconfirmedAtMs: null });
  expect(world.ledger.beats.at(-1)?.beat).toBeGreaterThan(1);
});

test("a heartbeat reports each lease whose usage changed, once", async () => {
  const { world, node } = await funded(1_000_000n);
  await world.hold(node, wanting(100n));
  await world.clock.advance(30_100);
  expect(world.ledger.beats.map(({ uses }) => uses)).toEqual([
    [{ organizationId: "org", inUse: 100n, calls: 1 }],
    [],
    [],
  ]);
});

async function funded(balance: bigint, admission?: AdmissionRule) {
  const world = new CreditWorld();
  world.ledger.fund("org", balance);
  const inWorld = await world.startNode("a", admission);
  return { world, inWorld, node: inWorld.node };
}
