import fc from "fast-check";
import { expect, test } from "vitest";
import type { AdmissionPolicy, AdmissionRule } from "./admission.ts";
import { CreditWorld, keyBudget, type NodeInWorld, Received } from "./credit-world.fixture.ts";
import type { Hold, HoldRequest } from "./hold.ts";
import type { Allowance, PendingEvent } from "./lease-messages.ts";
import type { Fate } from "./small-ledger.fixture.ts";

const NODES = ["a", "b"] as const;
const ORGANIZATIONS = ["org_1", "org_2"] as const;
const BUDGETS = [keyBudget("key_1", 3_000n), keyBudget("key_2", 40_000n, 0, Date.UTC(2026, 0, 15, 0, 1))];

type Step =
  | {
      readonly kind: "call";
      readonly node: number;
      readonly organization: number;
      readonly amount: number;
      readonly budgets: number;
      readonly usesCredit: boolean;
    }
  | { readonly kind: "release"; readonly which: number; readonly percent: number }
  | { readonly kind: "extend"; readonly which: number; readonly by: number }
  | { readonly kind: "cancel"; readonly which: number }
  | { readonly kind: "settle"; readonly which: number }
  | { readonly kind: "advance"; readonly ms: number }
  | { readonly kind: "network"; readonly fates: readonly Fate[] }
  | { readonly kind: "freeze"; readonly ms: number }
  | { readonly kind: "jump"; readonly ms: number }
  | { readonly kind: "fund"; readonly organization: number; readonly amount: number }
  | { readonly kind: "reclaim"; readonly node: number }
  | { readonly kind: "fence"; readonly node: number };

const which = fc.nat({ max: 1_000 });
const node = fc.nat({ max: NODES.length - 1 });
const organization = fc.nat({ max: ORGANIZATIONS.length - 1 });
const fate = fc.constantFrom<Fate>("answered", "answered", "request lost", "answer lost", "busy");
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constant("call" as const),
      node,
      organization,
      amount: fc.integer({ min: 1, max: 400 }),
      budgets: fc.nat({ max: 3 }),
      usesCredit: fc.constant(true),
    }),
  },
  { weight: 10, arbitrary: fc.record({ kind: fc.constant("release" as const), which, percent: fc.nat({ max: 120 }) }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: fc.constant("extend" as const), which, by: fc.integer({ min: 1, max: 300 }) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("cancel" as const), which }) },
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("settle" as const), which }) },
  {
    weight: 10,
    arbitrary: fc.record({
      kind: fc.constant("advance" as const),
      ms: fc.constantFrom(0.3, 0.7, 1, 1, 2, 2, 5, 12, 30, 300, 12_000, 45_000),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant("network" as const),
      fates: fc.array(fate, { minLength: 1, maxLength: 5 }),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("freeze" as const), ms: fc.constantFrom(1_000, 29_000, 90_000) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("jump" as const),
      ms: fc.constantFrom(-3_600_000, -5_000, 5_000, 3_600_000),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("fund" as const),
      organization,
      amount: fc.integer({ min: 0, max: 20_000 }),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("reclaim" as const), node }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("fence" as const), node }) },
);

test("holds and charges never exceed the credit leased to their epoch, despite losses, delays, and fencing", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.record({
        policy: fc.constantFrom<AdmissionPolicy>("strict", "positive", "nonnegative"),
        overdraft: fc.constantFrom(0n, 1n, 150n, 5_000n),
      }),
      fc.array(step, { minLength: 5, maxLength: 80 }),
      async (admission, steps) => {
        const run = new Run(admission);
        await run.start();
        for (const one of steps) {
          await run.take(one);
          run.check();
        }
        await run.finish();
      },
    ),
    { numRuns: 300 },
  );
});

/** An open hold or unsettled event, with the node that owns it. */
interface Owned<T> {
  readonly owner: number;
  readonly item: T;
}

class Run {
  readonly #world = new CreditWorld();
  readonly #admission: AdmissionRule;
  readonly #nodes: NodeInWorld[] = [];
  readonly #holds: Owned<Hold>[] = [];
  readonly #waiting: { readonly waiter: TrackedWaiter; readonly cancel: () => void }[] = [];
  readonly #received: TrackedWaiter[] = [];
  #events: Owned<{ readonly event: PendingEvent; readonly cost: bigint }>[] = [];
  #count = 0;

  constructor(admission: AdmissionRule) {
    this.#admission = admission;
  }

  async start(): Promise<void> {
    this.#world.ledger.fund("org_1", 1_000n);
    this.#world.ledger.fund("org_2", 50_000n);
    for (const name of NODES) this.#nodes.push(await this.#world.startNode(name, this.#admission));
  }

  async take(one: Step): Promise<void> {
    const { clock, ledger } = this.#world;
    switch (one.kind) {
      case "call":
        return this.#call(one.node, {
          organizationId: ORGANIZATIONS[one.organization] as string,
          amount: BigInt(one.amount),
          usesCredit: one.usesCredit,
          budgets: BUDGETS.filter((_, position) => (one.budgets & (1 << position)) !== 0),
        });
      case "release":
        return this.#release(one.which, one.percent);
      case "extend":
        return this.#extend(one.which, BigInt(one.by));
      case "cancel": {
        const [cancelled] = this.#waiting.splice(one.which % Math.max(1, this.#waiting.length), 1);
        if (cancelled !== undefined && cancelled.waiter.times === 0) {
          cancelled.waiter.isCancelled = true;
          cancelled.cancel();
        }
        return;
      }
      case "settle": {
        const [settled] = this.#events.splice(one.which % Math.max(1, this.#events.length), 1);
        if (settled !== undefined) ledger.settle(NODES[settled.owner] as string, settled.item.event, settled.item.cost);
        return this.#tellPending();
      }
      case "advance":
        return clock.advance(one.ms);
      case "network": {
        let call = 0;
        ledger.fate = (kind) => {
          call += 1;
          const next = one.fates[call % one.fates.length] ?? "answered";
          return next === "busy" && kind !== "lease" ? "answered" : next;
        };
        return;
      }
      case "freeze":
        return clock.freeze(one.ms);
      case "jump":
        return clock.jumpWall(one.ms);
      case "fund":
        ledger.fund(ORGANIZATIONS[one.organization] as string, BigInt(one.amount));
        for (const { node } of this.#nodes) node.creditChanged(ORGANIZATIONS[one.organization] as string);
        return;
      case "reclaim":
        return ledger.reclaim(NODES[one.node] as string);
      case "fence": {
        const row = ledger.nodes.get(NODES[one.node] as string);
        if (row !== undefined) row.epoch += 1;
        return;
      }
    }
  }

  /** Checks that every lease covers its node's holds and charges, according to the ledger's totals. */
  check(): void {
    const used = new Map<string, bigint>();
    const add = (owner: number, epoch: number, organizationId: string, allowance: Allowance, amount: bigint): void => {
      const name = allowance.kind === "credit" ? "credit" : JSON.stringify(allowance.window);
      const key = JSON.stringify([owner, epoch, organizationId, name]);
      used.set(key, (used.get(key) ?? 0n) + amount);
      const node = NODES[owner] as string;
      if (this.#world.ledger.reclaimed.has(`${organizationId} ${node} ${epoch}`)) return;
      const outstanding = this.#world.ledger.outstanding(organizationId, node, epoch, allowance);
      expect(outstanding, `${key} of ${outstanding}`).toBeGreaterThanOrEqual(used.get(key) ?? 0n);
    };
    for (const { owner, item } of this.#holds) {
      if (item.usesCredit) add(owner, item.epoch, item.organizationId, { kind: "credit" }, item.amount);
      for (const budget of item.heldBudgets)
        add(owner, item.epoch, item.organizationId, { kind: "budget", ...budget }, item.amount);
    }
    for (const { owner, item } of this.#events) {
      const { event } = item;
      add(owner, event.epoch, event.organizationId, { kind: "credit" }, event.fromLease);
      for (const { window, fromLease } of event.budgets) {
        add(owner, event.epoch, event.organizationId, { kind: "budget", window, limit: 0n }, fromLease);
      }
    }
  }

  /** Checks that every waiter was called once, and that only unsettled charges stay reserved after a clean shutdown. */
  async finish(): Promise<void> {
    const { clock, ledger } = this.#world;
    ledger.fate = () => "answered";
    await clock.advance(8_000);
    this.check();
    for (const received of this.#received) expect(received.times).toBe(received.isCancelled ? 0 : 1);
    while (this.#holds.length > 0) this.#release(0, 50);
    for (const [owner, { node }] of this.#nodes.entries()) {
      const closed = node.close(this.#pendingOf(owner));
      await clock.advance(3_000);
      await closed;
    }
    this.check();
    for (const row of ledger.rows.values()) {
      for (const { granted, returned, settled } of row.shares.values())
        expect(granted).toBeGreaterThanOrEqual(returned + settled);
    }
    for (const { owner, item } of this.#events.splice(0)) ledger.settle(NODES[owner] as string, item.event, item.cost);
    for (const row of ledger.rows.values()) {
      for (const { granted, returned, settled } of row.shares.values()) expect(granted - returned - settled).toBe(0n);
    }
  }

  #call(owner: number, request: HoldRequest): void {
    const { node } = this.#nodes[owner] as NodeInWorld;
    const taken = node.take(request);
    if (taken !== null) return this.#own(owner, taken);
    const received = new TrackedWaiter((hold) => this.#own(owner, hold));
    this.#received.push(received);
    this.#waiting.push({ waiter: received, cancel: node.wait(request, received) });
  }

  #own(owner: number, hold: Hold): void {
    // A reclaimed lease must not grant new holds.
    expect(this.#world.ledger.reclaimed.has(`${hold.organizationId} ${NODES[owner]} ${hold.epoch}`)).toBe(false);
    this.#holds.push({ owner, item: hold });
  }

  #release(position: number, percent: number): void {
    const [owned] = this.#holds.splice(position % Math.max(1, this.#holds.length), 1);
    if (owned === undefined) return;
    const { owner, item } = owned;
    const cost = (item.amount * BigInt(percent)) / 100n;
    const { fromLease, budgets } = (this.#nodes[owner] as NodeInWorld).node.release(item, cost);
    this.#count += 1;
    const event: PendingEvent = {
      id: `event ${this.#count}`,
      organizationId: item.organizationId,
      epoch: item.epoch,
      fromLease,
      budgets: budgets.map(({ fromLease: share, ...window }) => ({ window, fromLease: share })),
    };
    this.#events.push({ owner, item: { event, cost } });
    this.#tellPending();
  }

  #extend(position: number, by: bigint): void {
    const owned = this.#holds[position % Math.max(1, this.#holds.length)];
    if (owned === undefined || owned.item.extension !== null) return;
    (this.#nodes[owned.owner] as NodeInWorld).node.extend(owned.item, by, new Received());
  }

  #tellPending(): void {
    for (const [owner, inWorld] of this.#nodes.entries()) inWorld.pending = this.#pendingOf(owner);
  }

  #pendingOf(owner: number): readonly PendingEvent[] {
    return this.#events.filter((event) => event.owner === owner).map(({ item }) => item.event);
  }
}

class TrackedWaiter extends Received {
  isCancelled = false;
  readonly #onGrant: (hold: Hold) => void;

  constructor(onGrant: (hold: Hold) => void) {
    super();
    this.#onGrant = onGrant;
  }

  override granted(hold: Hold): void {
    super.granted(hold);
    this.#onGrant(hold);
  }
}
