import { type AdmissionRule, STRICT_ADMISSION } from "@tollgate/domain/credit/admission.ts";
import type { BudgetScope, BudgetWindow } from "@tollgate/domain/credit/budget-window.ts";
import type {
  AllowanceRequest,
  LeaseAnswer,
  LeaseRequest,
  WaitingHold,
} from "@tollgate/domain/credit/lease-messages.ts";
import { OMITTED_FIELDS, type UsageEvent } from "@tollgate/domain/credit/usage-event.ts";
import { makePrefixedId, makeUuidV7 } from "@tollgate/domain/ids.ts";
import { priceVersionId } from "@tollgate/domain/pricing/price-version.ts";
import { tokenPrice } from "@tollgate/domain/pricing/token-price.ts";
import { NO_USAGE } from "@tollgate/domain/pricing/usage.ts";
import { querySql, type TestDatabase } from "@tollgate/testkit/database.ts";
import { addTenant, type Tenant } from "@tollgate/testkit/tenants.ts";
import { test as base } from "@tollgate/testkit/test.ts";
import { sql } from "kysely";
import type { Database } from "../connect.ts";
import { ensurePriceVersions } from "../ledger/price-versions.ts";
import { settleUsage } from "../ledger/settle-usage.ts";
import { leaseCredit } from "./lease-credit.ts";
import { registerNode } from "./register-node.ts";

const MODEL = "openai/fast";
const PRICE = tokenPrice(1_000n, 1_000n);

/** Fields of a test's lease request. Absent fields are empty. */
export interface LeaseRequestFields {
  readonly allowances?: readonly Partial<AllowanceRequest>[];
  /** Amounts to take from every allowance, or complete holds. */
  readonly holds?: readonly (bigint | WaitingHold)[];
  readonly afterRecall?: number;
  readonly admission?: AdmissionRule;
}

/** A test with connection pools for both roles, and helpers to create organizations and nodes. */
export const test = base.extend("bank", { scope: "file" }, ({ database }) => new Bank(database));

/** Creates organizations with credit, and reads the leased amounts. */
export class Bank {
  readonly gateway: Database;
  readonly worker: Database;
  readonly #database: TestDatabase;
  readonly #platform: Database;

  constructor(database: TestDatabase) {
    this.#database = database;
    this.#platform = database.connect("tollgate_platform");
    this.gateway = database.connect("tollgate_gateway");
    this.worker = database.connect("tollgate_worker");
  }

  async addOrganization(credit: bigint): Promise<Tenant> {
    const tenant = await addTenant(this.#platform);
    await this.setCredit(tenant.organizationId, credit);
    return tenant;
  }

  async setCredit(organizationId: string, credit: bigint): Promise<void> {
    await this.query(`update organization_quota set balance = ${credit}, total_adjusted = ${credit}
                       where organization_id = '${organizationId}'`);
  }

  /** Queries as the schema owner, which has more privileges than any process. */
  query<Row>(text: string): Promise<Row[]> {
    return querySql<Row>(this.#database.connectionString, text);
  }

  /** Starts a node with its own connections, or with the shared connections. */
  async startNode(connections: "own" | "shared" = "shared"): Promise<Node> {
    const db = connections === "own" ? this.#database.connect("tollgate_gateway") : this.gateway;
    const node = new Node(db, makePrefixedId("node", Date.now()));
    await node.restart();
    // A test's node sends no heartbeats, and on a busy machine the test outlasts the thirty seconds of its registration.
    await this.query(
      `update gateway_nodes set alive_until = now() + interval '1 day' where node_id = '${node.nodeId}'`,
    );
    return node;
  }

  /** Settles one call made with the tenant's key, at one nano-USD per token. */
  async settle(tenant: Tenant, call: Partial<UsageEvent> & { readonly cost: bigint }): Promise<void> {
    const version = { id: priceVersionId(MODEL, PRICE), model: MODEL, price: PRICE };
    await ensurePriceVersions(this.worker, [version]);
    const outcome = await this.deliver(tenant, { priceVersionId: version.id, ...call });
    if (outcome !== "settled") throw new Error(`event was ${outcome}, not settled`);
  }

  /** Sends one call made with the tenant's key to the ledger. Without a price version, the call is parked. */
  async deliver(tenant: Tenant, call: Partial<UsageEvent> & { readonly cost: bigint }) {
    const event = buildEvent(tenant, call);
    return (await settleUsage(this.worker, [event])).get(event.id);
  }

  /** Makes a node look as if this many seconds have passed since its last heartbeat. */
  async silence(node: Node, seconds: number): Promise<void> {
    await this.query(`update gateway_nodes set alive_until = now() + interval '${30 - seconds} seconds'
                       where node_id = '${node.nodeId}'`);
  }

  /**
   * Looks for silent nodes exactly this many seconds after a node's last heartbeat. Both statements are one transaction,
   * in which no time passes.
   */
  async expireAt(node: Node, seconds: number): Promise<void> {
    await this.query(`update gateway_nodes set alive_until = now() + interval '${30 - seconds} seconds'
                       where node_id = '${node.nodeId}';
                      select lapse_silent_nodes(500)`);
  }

  async silenceAll(): Promise<void> {
    await this.query("update gateway_nodes set alive_until = now() - interval '1 hour'");
  }

  /** Returns allowances whose leased amount differs from the sum of their leases. The result must always be empty. */
  async findDifferences(): Promise<unknown[]> {
    const { rows } = await sql`
      select organization_id, 'credit' as allowance, leased, outstanding from organization_quota
        join lateral (select coalesce(sum(outstanding), 0) as outstanding from credit_leases l
                       where l.organization_id = organization_quota.organization_id) as leases on true
       where leased <> outstanding
      union all
      select organization_id, scope, leased, outstanding from budget_windows w
        join lateral (select coalesce(sum(outstanding), 0) as outstanding from budget_leases l
                       where (l.organization_id, l.scope, l.scope_id, l.starts_at)
                           = (w.organization_id, w.scope, w.scope_id, w.starts_at)) as leases on true
       where leased <> outstanding`.execute(this.worker);
    return rows;
  }

  async readLease(node: Node, organizationId: string, epoch = node.epoch) {
    const rows = await this.query<{ outstanding: string; state: string }>(`
      select outstanding, state from credit_leases
       where organization_id = '${organizationId}' and node_id = '${node.nodeId}' and epoch = ${epoch}`);
    return rows[0];
  }
}

/** A gateway process as seen by the database. It numbers its requests. */
export class Node {
  epoch = 0;
  readonly nodeId: string;
  readonly #db: Database;
  readonly #seqs = new Map<string, number>();

  constructor(db: Database, nodeId: string) {
    this.#db = db;
    this.nodeId = nodeId;
  }

  async restart(): Promise<number> {
    const { epoch, liveNodes } = await registerNode(this.#db, {
      nodeId: this.nodeId,
      knownEpoch: this.epoch,
      host: "here",
    });
    this.epoch = epoch;
    this.#seqs.clear();
    return liveNodes;
  }

  async requestLease(organizationId: string, fields: LeaseRequestFields = {}): Promise<LeaseAnswer> {
    const seq = (this.#seqs.get(organizationId) ?? 0) + 1;
    const answer = await this.send(buildRequest(organizationId, seq, fields), fields.admission);
    if (answer.outcome === "answered") this.#seqs.set(organizationId, seq);
    return answer;
  }

  async send(request: LeaseRequest, admission: AdmissionRule = STRICT_ADMISSION): Promise<LeaseAnswer> {
    const answers = await leaseCredit(this.#db, {
      nodeId: this.nodeId,
      epoch: this.epoch,
      admission,
      requests: [request],
    });
    return answers[0] as LeaseAnswer;
  }
}

export function buildRequest(organizationId: string, seq: number, fields: LeaseRequestFields = {}): LeaseRequest {
  const allowances = fields.allowances ?? [{}];
  return {
    organizationId,
    seq,
    allowances: allowances.map((allowance) => ({
      allowance: { kind: "credit" },
      returned: 0n,
      slice: 0n,
      largestHold: 0n,
      recallSeen: 0,
      ...allowance,
    })),
    holds: (fields.holds ?? []).map((hold) =>
      typeof hold === "bigint" ? { amount: hold, allowances: allowances.map((_, place) => place) } : hold,
    ),
    afterRecall: fields.afterRecall ?? 0,
  };
}

function buildEvent(tenant: Tenant, call: Partial<UsageEvent> & { readonly cost: bigint }): UsageEvent {
  const id = call.id ?? makeUuidV7(Date.now());
  return {
    id,
    organizationId: tenant.organizationId,
    teamId: tenant.teamId,
    keyId: tenant.keyId,
    userId: null,
    requestId: id,
    endpoint: "/v1/chat/completions",
    modelGroup: "fast",
    deploymentId: "fast-1",
    provider: "openai",
    isStream: false,
    status: "success",
    httpStatus: 200,
    errorCode: null,
    usage: { ...NO_USAGE, inputTokens: Number(call.cost) },
    priceVersionId: null,
    lostAttempts: [],
    isBilled: true,
    hold: call.cost,
    fromLease: 0n,
    budgets: [],
    nodeId: "node_00000000000000000000000000",
    epoch: 1,
    endedAtMs: Date.now(),
    latencyMs: 1,
    firstTokenMs: null,
    ...OMITTED_FIELDS,
    ...call,
  };
}

/** Builds a budget allowance. By default, its window has no end. */
export function budgetOf(
  scope: BudgetScope,
  scopeId: string,
  limit: bigint,
  window: Partial<BudgetWindow> = {},
): Pick<AllowanceRequest, "allowance"> {
  const whole: BudgetWindow = { scope, scopeId, startsAtMs: 0, endsAtMs: Number.POSITIVE_INFINITY, ...window };
  return { allowance: { kind: "budget", window: whole, limit } };
}
