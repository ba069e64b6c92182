import { closeLeases } from "@tollgate/db/leases/close-leases.ts";
import { heartbeat } from "@tollgate/db/leases/heartbeat.ts";
import { expireSilentNodes, reclaimLeases } from "@tollgate/db/leases/reclaim-leases.ts";
import { registerNode } from "@tollgate/db/leases/register-node.ts";
import { findMissingEvents } from "@tollgate/db/ledger/find-missing-events.ts";
import { postEntry } from "@tollgate/db/ledger/post-entry.ts";
import { settleUsage } from "@tollgate/db/ledger/settle-usage.ts";
import { runAsAdministrator } from "@tollgate/db/tenancy.ts";
import type { PendingEvent } from "@tollgate/domain/credit/lease-messages.ts";
import type { BudgetShare, UsageEvent } from "@tollgate/domain/credit/usage-event.ts";
import { makeUuidV7 } from "@tollgate/domain/ids.ts";
import { NO_USAGE } from "@tollgate/domain/pricing/usage.ts";
import { makeLostAttempt, makeUsageEvent } from "@tollgate/testkit/usage-events.ts";
import fc from "fast-check";
import type { EntryKind } from "../ledger/rows.ts";
import type { BothLedgers, RunningNode } from "./both-ledgers.ts";
import { leaseCommand } from "./request-lease.ts";

/** Results from both ledgers. */
export interface Answers {
  readonly model: unknown;
  readonly database: unknown;
}

/** A command that is applied to both ledgers. */
export interface Command {
  readonly name: string;
  on(ledgers: BothLedgers): Promise<Answers>;
  readonly [fc.toStringMethod]?: () => string;
}

/** The operator's losses in a call. */
interface Losses {
  readonly loss: bigint;
  readonly lostAttempts: readonly bigint[];
}

const NOTHING: Answers = { model: null, database: null };

const place = fc.nat(1);
const amount = fc.nat(4).map((count) => BigInt(count * 100));

const noLosses: Losses = { loss: 0n, lostAttempts: [] };
const losses: fc.Arbitrary<Losses> = fc.oneof(
  fc.constant(noLosses),
  fc.record({
    loss: amount,
    lostAttempts: fc.array(
      amount.filter((cost) => cost > 0n),
      { maxLength: 3 },
    ),
  }),
);

/** Generates any command. Frequent commands have a higher weight. */
export const command: fc.Arbitrary<Command> = fc.oneof(
  {
    weight: 10,
    arbitrary: leaseCommand.map((request) => named(`lease ${request.node}`, (ledgers) => request.on(ledgers))),
  },
  {
    weight: 5,
    arbitrary: fc
      .tuple(
        place,
        fc.array(fc.tuple(amount, amount, fc.boolean(), losses), { minLength: 1, maxLength: 3 }),
        fc.boolean(),
      )
      .map(([node, calls, again]) => named(`settle ${node}`, (ledgers) => settle(ledgers, node, calls, again))),
  },
  { weight: 2, arbitrary: place.map((node) => named(`register ${node}`, (ledgers) => register(ledgers, node))) },
  { weight: 2, arbitrary: place.map((node) => named(`heartbeat ${node}`, (ledgers) => beat(ledgers, node))) },
  {
    weight: 2,
    arbitrary: fc
      .tuple(place, amount, amount)
      .map(([node, kept, settled]) => named(`close ${node}`, (ledgers) => close(ledgers, node, kept, settled))),
  },
  { weight: 1, arbitrary: place.map((node) => named(`silence ${node}`, (ledgers) => silence(ledgers, node))) },
  { weight: 1, arbitrary: fc.constant(named("expire", expire)) },
  { weight: 1, arbitrary: fc.constant(named("reclaim", reclaim)) },
  {
    weight: 4,
    arbitrary: fc
      .tuple(
        fc.constantFrom<EntryKind>("purchase", "grant", "refund", "dispute", "dispute_won", "adjustment"),
        fc.constantFrom(100n, 300n, 1_000n, 2_500n),
        fc.nat(8),
      )
      .map(([kind, sum, key]) => named(`${kind} ${sum}`, (ledgers) => post(ledgers, kind, sum, key))),
  },
  { weight: 1, arbitrary: fc.constant(named("known", known)) },
);

/** Commands at the start of every history: register two nodes and add credit to lease. */
export const beginning: readonly Command[] = [
  named("register 0", (ledgers) => register(ledgers, 0)),
  named("register 1", (ledgers) => register(ledgers, 1)),
  named("purchase", (ledgers) => post(ledgers, "purchase", 2_000n, 0)),
];

function named(name: string, on: Command["on"]): Command {
  return { name, on, [fc.toStringMethod]: () => name };
}

function nodeAt(ledgers: BothLedgers, index: number): RunningNode {
  return ledgers.nodes[index] as RunningNode;
}

async function register(ledgers: BothLedgers, index: number): Promise<Answers> {
  const node = nodeAt(ledgers, index);
  const { nodeId, epoch: knownEpoch } = node;
  ledgers.tick();
  const model = ledgers.model.registerNode(nodeId, knownEpoch);
  const database = await registerNode(ledgers.pools.gateway, { nodeId, knownEpoch, host: "here" });
  node.epoch = database.epoch;
  node.seq = 0;
  node.beat = 0;
  return { model, database };
}

async function beat(ledgers: BothLedgers, index: number): Promise<Answers> {
  const node = nodeAt(ledgers, index);
  node.beat += 1;
  ledgers.tick();
  const { nodeId, epoch, beat: number } = node;
  const model = ledgers.model.heartbeat(nodeId, epoch, number);
  const sent = { nodeId, epoch, beat: number, oldestUnconfirmedAtMs: null, uses: [] };
  return { model, database: await heartbeat(ledgers.pools.gateway, sent) };
}

/** Settles new events from the node's run, and optionally settles the last event again. */
async function settle(
  ledgers: BothLedgers,
  index: number,
  calls: readonly (readonly [bigint, bigint, boolean, Losses])[],
  again: boolean,
): Promise<Answers> {
  const repeated = again ? ledgers.events.slice(-1) : [];
  const events = calls.map(([cost, hold, hasBudgets, lost]) => {
    const { loss, lostAttempts } = lost;
    const usage = { ...NO_USAGE, inputTokens: Number(cost + loss) };
    const event = makeEvent(ledgers, index, cost, hold, hasBudgets);
    return { ...event, usage, loss, lostAttempts: lostAttempts.map((price) => makeLostAttempt(price)) };
  });
  ledgers.events.push(...events);
  const batch = [...repeated, ...events];
  ledgers.tick();
  const model = Object.fromEntries(ledgers.model.settle(batch));
  const database = Object.fromEntries(await settleUsage(ledgers.pools.worker, batch));
  return { model, database };
}

function makeEvent(ledgers: BothLedgers, index: number, cost: bigint, hold: bigint, hasBudgets: boolean): UsageEvent {
  const { nodeId, epoch } = nodeAt(ledgers, index);
  const fromLease = cost < hold ? cost : hold;
  const budgets: BudgetShare[] = hasBudgets ? ledgers.windows.map((window) => ({ ...window, fromLease })) : [];
  const id = makeUuidV7(ledgers.nowMs);
  return makeUsageEvent(ledgers.tenant, cost, { id, nodeId, epoch, hold, fromLease, budgets });
}

/** Closes the node's earlier runs, with one event that is in the ledger and one that isn't. */
async function close(ledgers: BothLedgers, index: number, kept: bigint, known_: bigint): Promise<Answers> {
  const { nodeId, epoch } = nodeAt(ledgers, index);
  const missing = makeEvent(ledgers, index, kept, kept, true);
  const settled = ledgers.events.at(-1);
  const pending = [missing, ...(settled === undefined ? [] : [{ ...settled, fromLease: known_ }])].map(toPending);
  ledgers.tick();
  ledgers.model.closeLeases(nodeId, epoch + 1, pending);
  await closeLeases(ledgers.pools.gateway, nodeId, epoch + 1, pending);
  return NOTHING;
}

function toPending({ id, organizationId, epoch, fromLease, budgets }: UsageEvent): PendingEvent {
  const shares = budgets.map(({ fromLease: share, ...window }) => ({ window, fromLease: share }));
  return { id, organizationId: organizationId ?? "", epoch, fromLease, budgets: shares };
}

/** Simulates an hour without heartbeats from the node, whose current run started before that hour. */
async function silence(ledgers: BothLedgers, index: number): Promise<Answers> {
  const { nodeId } = nodeAt(ledgers, index);
  const node = ledgers.model.rows.nodes.get(nodeId);
  if (node === undefined) return NOTHING;
  ledgers.tick();
  node.aliveUntilMs = ledgers.nowMs - 3_600_000;
  node.startedAtMs = node.aliveUntilMs;
  await ledgers.asOwner(`update gateway_nodes set alive_until = now() - interval '1 hour',
    started_at = now() - interval '1 hour' where node_id = '${nodeId}'`);
  return NOTHING;
}

async function expire(ledgers: BothLedgers): Promise<Answers> {
  ledgers.tick();
  ledgers.model.lapse();
  await expireSilentNodes(ledgers.pools.worker);
  return NOTHING;
}

async function reclaim(ledgers: BothLedgers): Promise<Answers> {
  ledgers.tick();
  ledgers.model.reclaim(0);
  await reclaimLeases(ledgers.pools.worker, 0);
  return NOTHING;
}

async function post(ledgers: BothLedgers, kind: EntryKind, sum: bigint, key: number): Promise<Answers> {
  const { organizationId } = ledgers.tenant;
  const entry = { kind, organizationId, amount: kind === "adjustment" && key % 2 === 0 ? -sum : sum };
  // Derive the key from the body, so that a repeated key always means a repeated entry.
  const idempotencyKey = `${organizationId} ${kind} ${entry.amount} ${key}`;
  ledgers.tick();
  ledgers.model.postEntry({ ...entry, idempotencyKey });
  const provider = ["purchase", "refund", "dispute", "dispute_won"].includes(kind) ? { provider: "fake" as const } : {};
  await runAsAdministrator(ledgers.pools.platform, (transaction) =>
    postEntry(transaction, { ...entry, ...provider, idempotencyKey, actor: "system" }),
  );
  return NOTHING;
}

async function known(ledgers: BothLedgers): Promise<Answers> {
  const ids = [...ledgers.events.map(({ id }) => id), makeUuidV7(ledgers.nowMs)];
  ledgers.tick();
  const missing = new Set(await findMissingEvents(ledgers.pools.gateway, ids.join(",")));
  return { model: [...ledgers.model.known(ids)].sort(), database: ids.filter((_, at) => !missing.has(at)).sort() };
}
