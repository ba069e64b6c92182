import { Random } from "../../random.ts";
import { Callers } from "./callers.ts";
import { FleetGateway } from "./fleet-gateway.ts";
import { FleetLedger } from "./fleet-ledger.ts";
import type { FleetOptions, FleetReport } from "./fleet-options.ts";
import { FleetTime } from "./fleet-time.ts";
import { Settlers } from "./settlers.ts";
import type { StatementCounts } from "./statement-counts.ts";

/** Events that one worker settles per second. This is a conservative value. */
const EVENTS_PER_WORKER = 4_000;
const SHORTEST_CALL_MS = 200;
const DEFAULT_CALL_MS = 1_800;
/** Long enough for the last call to end and its event to be settled. */
const DRAIN_STEP_MS = 5_000;
const DRAIN_STEPS = 60;
const START_MS = 10_000;
const SHOW_EVERY_MS = 5_000;

/** Simulates a fleet from its start until its last event is settled. */
export async function runFleet(options: FleetOptions, show: (text: string) => void = () => {}): Promise<FleetReport> {
  const startedAt = performance.now();
  const { organizations, gateways: gatewayCount, callsPerSecond, warmUpSeconds, seconds } = options;
  const random = new Random(options.seed);
  const callers = new Callers(organizations, random.fork());
  const time = new FleetTime();
  const ends = { calls: 0, completed: 0, refused: 0, unavailable: 0, cost: 0n };
  const exhausted = new Set<string>();
  const gateways: FleetGateway[] = [];
  const ledger = new FleetLedger(time, (organizationId, recall, nodes) => {
    for (const gateway of gateways) gateway.recall(organizationId, recall, nodes);
  });
  const callsInAll = callsPerSecond * (warmUpSeconds + seconds);
  callers.ids.forEach((id, rank) => void ledger.addOrganization(id, callers.drawCredit(rank, callsInAll)));
  const settlers = new Settlers(ledger, time, Math.max(1, Math.ceil(callsPerSecond / EVENTS_PER_WORKER)));
  for (let index = 0; index < gatewayCount; index += 1) {
    gateways.push(
      new FleetGateway(index, {
        time,
        ledger,
        admission: options.admission,
        publish: (events) => settlers.add(events),
        completed: (cost) => {
          ends.completed += 1;
          ends.cost += cost;
        },
        denied: (organizationId, { kind }) => {
          if (kind === "too_large") throw new Error("no hold of a fleet is too large");
          ends[kind] += 1;
          if (kind === "refused") exhausted.add(organizationId);
        },
      }),
    );
  }
  // Stagger the gateways' starts, because their polls would otherwise stay synchronized.
  const starts = gateways.map((gateway) => time.answerAfter((random.next() * START_MS) / 2, () => gateway.start()));
  await time.runUntil(START_MS);
  await Promise.all(starts);

  const active = new Set<number>();
  const gapMs = 1_000 / callsPerSecond;
  const lastAtMs = START_MS + 1_000 * (warmUpSeconds + seconds);
  const arrive = () => {
    const rank = callers.draw();
    active.add(rank);
    ends.calls += 1;
    const hold = callers.drawHold();
    const lastsMs = SHORTEST_CALL_MS + exponential(random) * DEFAULT_CALL_MS;
    const gateway = gateways[pickGateway(rank, options, random)] as FleetGateway;
    gateway.call(rank, callers.ids[rank] as string, hold, callers.drawCost(hold), lastsMs);
    const nextMs = exponential(random) * gapMs;
    if (time.nowMs + nextMs < lastAtMs) time.afterSilently(nextMs, arrive);
  };
  time.afterSilently(0, arrive);
  const runTo = async (untilMs: number) => {
    while (time.nowMs < untilMs) {
      await time.runUntil(Math.min(untilMs, time.nowMs + SHOW_EVERY_MS));
      show(`${Math.round((time.nowMs - START_MS) / 1_000)} s simulated, ${ends.calls} calls`);
    }
  };
  await runTo(START_MS + 1_000 * warmUpSeconds);
  ledger.counts.reset();
  await runTo(lastAtMs);
  const counts = { ...ledger.counts };
  await drain(time, gateways, () => ends.completed + ends.refused + ends.unavailable === ends.calls);

  const { overspend, charged } = ledger.audit();
  return {
    organizations,
    gateways: gatewayCount,
    calls_per_second: callsPerSecond,
    spread: options.spread,
    calls: ends.calls,
    completed: ends.completed,
    refused: ends.refused,
    unavailable: ends.unavailable,
    active_organizations: active.size,
    exhausted_organizations: exhausted.size,
    overspend_nanousd: Number(overspend),
    books_difference_nanousd: Number(charged - ends.cost),
    ...toRates(counts, seconds),
    elapsed_seconds: round((performance.now() - startedAt) / 1_000),
  };
}

async function drain(time: FleetTime, gateways: readonly FleetGateway[], haveCallsEnded: () => boolean): Promise<void> {
  for (let step = 0; step < DRAIN_STEPS; step += 1) {
    await time.runUntil(time.nowMs + DRAIN_STEP_MS);
    if (haveCallsEnded() && gateways.every(({ backlog }) => backlog === 0)) return;
  }
  throw new Error("the last events were never settled");
}

/** Returns the gateway for a call: any gateway, or one of the few that serve the call's organization. */
function pickGateway(rank: number, { gateways, spread }: FleetOptions, random: Random): number {
  if (spread >= gateways) return random.integer(0, gateways - 1);
  const first = (Math.imul(rank + 1, 2_654_435_761) >>> 0) % gateways;
  return (first + random.integer(0, spread - 1)) % gateways;
}

function toRates(counts: Omit<StatementCounts, "reset" | "countLease">, seconds: number) {
  const perSecond = (count: number) => round(count / seconds);
  const { leases, settles, confirms, heartbeats, keys, feedReads, recalls } = counts;
  const statements = leases + settles + confirms + heartbeats + keys + feedReads;
  const perCall = (count: number) => round(count / Math.max(1, counts.calls), 4);
  return {
    calls_that_waited_share: round(counts.callsThatWaited / Math.max(1, counts.calls), 3),
    statements_per_second: perSecond(statements),
    statements_per_call: {
      lease: perCall(leases),
      settle: perCall(settles),
      confirm: perCall(confirms),
      heartbeat: perCall(heartbeats),
      key: perCall(keys),
      feed: perCall(feedReads),
      all: perCall(statements),
    },
    lease_statements_per_second: perSecond(leases),
    lease_requests_per_second: {
      for_holds: perSecond(counts.requestsForHolds),
      to_return: perSecond(counts.requestsToReturn),
      to_refill: perSecond(counts.requestsToRefill),
      without_credit: perSecond(counts.requestsWithoutCredit),
    },
    organizations_per_lease_statement: round(counts.leasedOrganizations / Math.max(1, leases)),
    settle_statements_per_second: perSecond(settles),
    events_per_settle_statement: round(counts.settledEvents / Math.max(1, settles)),
    confirm_statements_per_second: perSecond(confirms),
    heartbeat_statements_per_second: perSecond(heartbeats),
    key_statements_per_second: perSecond(keys),
    feed_statements_per_second: perSecond(feedReads),
    recalls_per_second: perSecond(recalls),
  };
}

function exponential(random: Random): number {
  return -Math.log(1 - random.next());
}

function round(value: number, digits = 1): number {
  return Number(value.toFixed(digits));
}
