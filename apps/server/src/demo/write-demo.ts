import { join } from "node:path";
import { toUsdText } from "@tollgate/contracts/management/money.ts";
import { connect, type Database, type DatabaseRole } from "@tollgate/db/connect.ts";
import { dateHistory } from "@tollgate/db/demo/date-history.ts";
import { ensurePriceVersions } from "@tollgate/db/ledger/price-versions.ts";
import { ensureUsagePartitions } from "@tollgate/db/ledger/usage-partitions.ts";
import { logRefusedCalls } from "@tollgate/db/usage/write-calls.ts";
import { makePassword } from "@tollgate/domain/identity/make-password.ts";
import { makePrefixedId } from "@tollgate/domain/ids.ts";
import { NANO_PER_CENT, type NanoUsd } from "@tollgate/domain/money.ts";
import { servedModels } from "@tollgate/gateway/adapters/served-models.ts";
import type { Deployment } from "@tollgate/gateway/call/deployment.ts";
import type { CloseRecord } from "@tollgate/journal/decode-record.ts";
import type { BillingProvider } from "@tollgate/platform/credits/billing-provider.ts";
import type { PasswordHasher } from "@tollgate/platform/identity/password-hasher.ts";
import type { Settings } from "@tollgate/runtime/settings/settings.ts";
import { ADMIN_EMAIL } from "../dev/local-credentials.ts";
import type { LocalAccount } from "../dev/seed-account.ts";
import { DemoAccounts, type DemoOwner } from "./demo-accounts.ts";
import { DEMO_DAYS, DEMO_KEYS, DEMO_MEMBERS, DEMO_PAYMENTS, DEMO_TEAMS, type DemoKey } from "./demo-cast.ts";
import { DemoClock } from "./demo-clock.ts";
import { markDemoFolder } from "./demo-folder.ts";
import { DemoJournal } from "./demo-journal.ts";
import { DEMO_MODELS, deploymentIdOf } from "./demo-models.ts";
import { DemoPayments } from "./demo-payments.ts";
import type { PlannedRefusal } from "./plan-refusal.ts";
import { planRequests } from "./plan-requests.ts";
import type { PlannedCall, PlannedRequest } from "./planned-request.ts";

const DEMO_SEED = 25_082_026;

interface DemoStart {
  readonly connectionString: string;
  readonly dataDir: string;
  readonly nowMs: number;
  readonly requests: number;
  /** Settings that serve the demo's models. */
  readonly settings: Settings;
  /** Null if billing is disabled. Nothing is bought then. */
  readonly billing: BillingProvider | null;
  readonly passwords: Pick<PasswordHasher, "hash">;
  /** Creates the instance's own account, as every `tollgate dev` does. */
  readonly seedAccount: () => Promise<LocalAccount>;
}

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** Time limit for a statement. No caller waits for it, and a new database on a busy computer can be slow. */
const STATEMENT_LIMIT_MS = 60_000;

/** Something that happened to the demo's accounts or requests, at its time. */
interface Step {
  readonly atMs: number;
  readonly run: (now: Date) => Promise<void>;
}

/** Writes the demo's month into a new database: accounts, payments, and requests, in the order of their times. */
export async function writeDemo(start: DemoStart): Promise<void> {
  const { connectionString, nowMs, billing } = start;
  const clock = new DemoClock();
  const pools = openPools(connectionString);
  const beginMs = nowMs - DEMO_DAYS * DAY_MS;
  markDemoFolder(start.dataDir, "writing", start.requests);
  const journal = new DemoJournal(join(start.dataDir, "journal-demo"), makePrefixedId("node", beginMs));
  try {
    const { organizationId, userId } = await clock.run(beginMs - 3 * HOUR_MS, () => start.seedAccount());
    if (userId === null) throw new Error("the administrator of the new data folder is disabled");
    const owner = { organizationId, userId, email: ADMIN_EMAIL };
    const accounts = new DemoAccounts(pools.platform, owner, await start.passwords.hash(makePassword()));
    const payments = billing === null ? null : new DemoPayments(pools.platform, owner, billing);
    const { deployments } = servedModels.buildList(start.settings, []);
    const sold = await clock.run(beginMs - 2.5 * HOUR_MS, () => sellModels(pools.gateway, deployments));
    const prices = new Map([...sold].map(([name, { price }]) => [name, price]));
    const requests = planRequests({ seed: DEMO_SEED, nowMs, requests: start.requests, prices });
    await ensureUsagePartitions(pools.worker, dayOf(beginMs), dayOf(nowMs));
    const settle = async (batch: readonly PlannedRequest[], now: Date): Promise<void> => {
      const calls = batch.filter((request) => request.kind === "call");
      const closings = calls.map((call) => closeCall(call, owner, accounts, sold, billing !== null));
      await journal.settle(pools.worker, closings, now.getTime());
      const refusals = batch.filter((request) => request.kind === "refusal");
      await logRefusedCalls(
        pools.gateway,
        refusals.map((refusal) => refuseCall(refusal, owner, accounts, requests)),
      );
    };
    const steps = [
      ...planAccounts(accounts, requests, nowMs),
      ...DEMO_PAYMENTS.map((payment, index) => ({
        atMs: timeOf(payment.day, 60 + index, nowMs),
        run: async (now: Date) => payments?.apply(payment, now),
      })),
      ...[...Map.groupBy(requests, ({ atMs }) => dayOf(atMs)).values()].map((batch) => ({
        // Usage is settled after its requests have ended.
        atMs: Math.max(...batch.map((request) => request.atMs + (request.kind === "call" ? request.latencyMs : 0))),
        run: (now: Date) => settle(batch, now),
      })),
    ].sort((left, right) => left.atMs - right.atMs);
    for (const { atMs, run } of steps) await clock.run(atMs, run);
  } finally {
    await Promise.all(Object.values(pools).map((pool) => pool.destroy()));
  }
  await dateHistory(connectionString, clock.steps);
  journal.remove();
  markDemoFolder(start.dataDir, "complete", start.requests);
}

function openPools(connectionString: string): Readonly<Record<"platform" | "worker" | "gateway", Database>> {
  const open = (role: DatabaseRole) =>
    connect({
      connectionString,
      role,
      poolSize: 1,
      applicationName: "tollgate dev --demo",
      statementLimitMs: STATEMENT_LIMIT_MS,
      acquireLimitMs: STATEMENT_LIMIT_MS,
    });
  return { platform: open("tollgate_platform"), worker: open("tollgate_worker"), gateway: open("tollgate_gateway") };
}

type SoldModel = Deployment & { readonly price: NonNullable<Deployment["price"]>; readonly priceVersionId: string };

/** Records the prices of the demo's models in the ledger and returns their deployments by model name. */
async function sellModels(db: Database, deployments: readonly Deployment[]): Promise<ReadonlyMap<string, SoldModel>> {
  const sold = new Map<string, SoldModel>();
  for (const { name } of DEMO_MODELS) {
    const deployment = deployments.find(({ id }) => id === deploymentIdOf(name));
    const { price = null, priceVersionId = null } = deployment ?? {};
    if (deployment === undefined || price === null || priceVersionId === null) {
      throw new Error(`the demo's model ${name} has no price`);
    }
    sold.set(name, { ...deployment, price, priceVersionId });
  }
  await ensurePriceVersions(
    db,
    [...sold.values()].map(({ provider, upstreamModel, price, priceVersionId, cost }) => ({
      id: priceVersionId,
      model: `${provider.name}/${upstreamModel}`,
      price,
      ...(cost != null && { cost }),
    })),
  );
  return sold;
}

function planAccounts(accounts: DemoAccounts, requests: readonly PlannedRequest[], nowMs: number): readonly Step[] {
  const plan: readonly { readonly day: number; readonly run: Step["run"] }[] = [
    { day: DEMO_DAYS, run: (now) => accounts.setUpOrganization(now) },
    ...DEMO_TEAMS.map((team) => ({ day: team.createdOnDay, run: (now: Date) => accounts.addTeam(team, now) })),
    ...DEMO_MEMBERS.map((member) => ({ day: member.joinedOnDay, run: (now: Date) => accounts.addMember(member, now) })),
    ...DEMO_KEYS.map((key) => ({
      day: key.createdOnDay,
      run: (now: Date) => accounts.addKey(key, key.isCapped === true ? capOf(key.name, requests) : null, now),
    })),
  ];
  return plan.map(({ day, run }, index) => ({ atMs: timeOf(day, index, nowMs), run }));
}

/** Returns the time of an account's change: in the hour before that day's requests, in the order of the plan. */
function timeOf(day: number, index: number, nowMs: number): number {
  return nowMs - day * DAY_MS - 2 * HOUR_MS + (index + 1) * MINUTE_MS;
}

/** Returns a budget that the key's requests use up, in whole cents. */
function capOf(keyName: string, requests: readonly PlannedRequest[]): NanoUsd {
  return (spentBy(keyName, requests) / NANO_PER_CENT) * NANO_PER_CENT;
}

function spentBy(keyName: string, requests: readonly PlannedRequest[]): NanoUsd {
  return requests.reduce(
    (sum, request) => (request.kind === "call" && request.key.name === keyName ? sum + request.cost : sum),
    0n,
  );
}

function closeCall(
  call: PlannedCall,
  { organizationId }: DemoOwner,
  { keys }: DemoAccounts,
  sold: ReadonlyMap<string, SoldModel>,
  isBilled: boolean,
): CloseRecord {
  const { id, key, model, cost, isStream } = call;
  const { id: keyId, teamId, userId } = known(keys, key.name);
  const { priceVersionId } = known(sold, model.name);
  const { name: modelGroup, endpoint, provider } = model;
  return {
    kind: "close",
    call: {
      id,
      identity: { organizationId, teamId, keyId, userId: String(userId) },
      target: { endpoint, modelGroup, deploymentId: deploymentIdOf(modelGroup), provider, priceVersionId },
      requestId: id,
      isStream,
      hold: cost,
      isBilled,
      epoch: 1,
      budgets: [],
      lostAttempts: [],
    },
    facts: {
      status: call.status,
      httpStatus: call.httpStatus,
      errorCode: call.errorCode,
      usage: call.usage,
      cost,
      loss: 0n,
      // The demo's gateway never leased credit, so the cost comes from the balance.
      fromLease: 0n,
      budgetShares: [],
      endedAtMs: call.atMs + call.latencyMs,
      latencyMs: call.latencyMs,
      firstTokenMs: call.firstTokenMs,
      attempts: call.attempts,
      fallbackFrom: call.fallbackFrom,
      endUser: call.endUser,
      session: call.session,
      gatewayBeforeUs: call.gatewayBeforeUs,
      queueUs: call.queueUs,
      failedUs: call.failedUs,
      gatewayAfterUs: call.gatewayAfterUs,
    },
  };
}

function refuseCall(
  { kind: _, atMs: __, key, facts, ...row }: PlannedRefusal,
  { organizationId }: DemoOwner,
  { keys }: DemoAccounts,
  requests: readonly PlannedRequest[],
) {
  const { id: keyId, teamId, userId } = known(keys, key.name);
  const limit = row.errorCode === "budget_exceeded" ? { ...(facts.limit as object), ...amounts(key, requests) } : null;
  return {
    ...row,
    organizationId,
    teamId,
    keyId,
    userId: String(userId),
    requestId: row.id,
    weight: 1,
    facts: limit === null ? facts : { ...facts, limit },
  };
}

function amounts({ name }: DemoKey, requests: readonly PlannedRequest[]) {
  return { current: toUsdText(spentBy(name, requests)), maximum: toUsdText(capOf(name, requests)) };
}

function known<Value>(values: ReadonlyMap<string, Value>, name: string): Value {
  const value = values.get(name);
  if (value === undefined) throw new Error(`${name} does not exist yet`);
  return value;
}

const dayOf = (atMs: number): string => new Date(atMs).toISOString().slice(0, 10);
