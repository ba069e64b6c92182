import { setTimeout as pause } from "node:timers/promises";
import type { Database } from "@tollgate/db/connect.ts";
import type { BudgetScope, BudgetWindow } from "@tollgate/domain/credit/budget-window.ts";
import type { UsageEvent } from "@tollgate/domain/credit/usage-event.ts";
import { makePrefixedId } from "@tollgate/domain/ids.ts";
import { querySql, type TestDatabase } from "@tollgate/testkit/database.ts";
import { addTenant, type Tenant } from "@tollgate/testkit/tenants.ts";
import { RECALL_HOLDS_MS } from "../ledger/lease-credit.ts";
import { outstandingOf, type ShareRow } from "../ledger/rows.ts";
import { ModelLedger } from "../model-ledger.ts";
import { RecallNames } from "./recall-names.ts";

/** Connection pools for one database, which all histories share. */
export interface Pools {
  readonly database: TestDatabase;
  readonly platform: Database;
  readonly gateway: Database;
  readonly worker: Database;
}

/** A run of a node that is registered in both ledgers. */
export interface RunningNode {
  readonly nodeId: string;
  epoch: number;
  seq: number;
  beat: number;
}

/** Longer than a statement takes. */
const CLEAR_MS = 400;
const YEAR_2000_MS = 946_684_800_000;

/** One organization with the same history in the database and in the model. */
export class BothLedgers {
  readonly pools: Pools;
  readonly tenant: Tenant;
  readonly model: ModelLedger;
  readonly nodes: readonly RunningNode[];
  readonly recalls = { model: new RecallNames(), database: new RecallNames() };
  readonly windows: readonly BudgetWindow[];
  /** All created events, settled or not. */
  readonly events: UsageEvent[] = [];
  #nowMs = Date.now();

  private constructor(pools: Pools, tenant: Tenant) {
    this.pools = pools;
    this.tenant = tenant;
    // No two commands have the same time, because no two transactions do.
    this.model = new ModelLedger(
      () => this.#nowMs,
      () => {},
      "none",
    );
    this.model.addOrganization(tenant.organizationId, [tenant.teamId]);
    this.nodes = [0, 1].map(() => ({ nodeId: makePrefixedId("node", Date.now()), epoch: 0, seq: 0, beat: 0 }));
    const forEver = { startsAtMs: 0, endsAtMs: Number.POSITIVE_INFINITY };
    const thisCentury = { startsAtMs: YEAR_2000_MS + 1, endsAtMs: YEAR_2000_MS * 5 };
    this.windows = [
      { scope: "key", scopeId: tenant.keyId, ...forEver },
      { scope: "team", scopeId: tenant.teamId, ...thisCentury },
    ];
  }

  /** Adds an organization without credit. Only the nodes in this history count as alive. */
  static async open(pools: Pools): Promise<BothLedgers> {
    const ledgers = new BothLedgers(pools, await addTenant(pools.platform));
    await ledgers.asOwner("update gateway_nodes set alive_until = now() - interval '1 day'");
    return ledgers;
  }

  tick(): void {
    this.#nowMs = Math.max(this.#nowMs + 1, Date.now());
  }

  /**
   * Waits until no recall is about to expire, because the model and the database have different clocks. Otherwise, one
   * of them could renew the recall and the other not.
   */
  async awaitClearAge(): Promise<void> {
    const { organizationId } = this.tenant;
    const organization = this.model.rows.organizations.get(organizationId);
    const rows = organization === undefined ? [] : [organization, ...organization.windows.values()];
    for (const { recall } of rows) {
      const leftMs = recall + RECALL_HOLDS_MS - Date.now();
      if (leftMs < CLEAR_MS && leftMs > -CLEAR_MS) await pause(leftMs + CLEAR_MS);
    }
  }

  get nowMs(): number {
    return this.#nowMs;
  }

  asOwner<Row>(text: string): Promise<Row[]> {
    return querySql<Row>(this.pools.database.connectionString, text);
  }

  /** Returns the whole state of the model in the format of `readDatabase`. */
  readModel(): unknown {
    const { organizationId } = this.tenant;
    const organization = this.model.rows.organizations.get(organizationId);
    if (organization === undefined) throw new Error("the model has the organization");
    const show = (share: ShareRow | undefined) => ({
      granted: `${share?.granted ?? 0n}`,
      returned: `${share?.returned ?? 0n}`,
      settled: `${share?.settled ?? 0n}`,
      reclaimed: `${share?.reclaimed ?? 0n}`,
      outstanding: `${share === undefined ? 0n : outstandingOf(share)}`,
    });
    const { balance, leased, mode, largestHold, purchased, granted, used, refunded, adjusted, teams } = organization;
    return {
      quota: [balance, leased, mode, largestHold, purchased, granted, used, refunded, adjusted].map(String),
      teams: teams.map(({ status, reason }) => [status, reason]),
      leases: [...organization.leases]
        .map(([key, lease]) => ({ key, state: lease.state, ...show(organization.shares.get(key)) }))
        .sort(byKey),
      windows: [...organization.windows.values()]
        .map((window) => ({
          key: window.scope,
          row: [window.amount, window.spent, window.leased, window.mode, window.largestHold].map(String),
          leases: [...window.shares].map(([key, share]) => ({ key, ...show(share) })).sort(byKey),
        }))
        .sort(byKey),
      events: [...this.model.rows.events.values()]
        .map(({ event, applied }) => ({
          key: event.id,
          cost: `${event.cost}`,
          applied: `${applied}`,
          loss: `${event.loss}`,
          lost: event.lostAttempts.map(({ cost }) => `${cost}`),
        }))
        .sort(byKey),
      transactions: [...this.model.rows.transactions.values()]
        .map(({ kind, amount }) => ({ key: `${kind} ${amount}` }))
        .sort(byKey),
    };
  }

  async readDatabase(): Promise<unknown> {
    const [row] = await this.asOwner<{ rows: StoredRows }>(readRows(this.tenant.organizationId));
    if (row === undefined) throw new Error("the database has the organization");
    const { quota, teams, leases, windows, budgetLeases, events, transactions } = row.rows;
    return {
      quota,
      teams,
      leases: leases.sort(byKey),
      windows: windows
        .map(({ key, row: facts }) => ({
          key,
          row: facts,
          leases: budgetLeases
            .filter(({ scope }) => scope === key)
            .map(({ lease }) => lease)
            .sort(byKey),
        }))
        .sort(byKey),
      events: events.sort(byKey),
      transactions: transactions.sort(byKey),
    };
  }
}

interface Keyed {
  readonly key: string;
}

interface StoredRows {
  readonly quota: string[];
  readonly teams: [string, string | null][];
  readonly leases: Keyed[];
  readonly windows: { readonly key: BudgetScope; readonly row: string[] }[];
  readonly budgetLeases: { readonly scope: string; readonly lease: Keyed }[];
  readonly events: Keyed[];
  readonly transactions: Keyed[];
}

function byKey(one: Keyed, other: Keyed): number {
  return one.key < other.key ? -1 : 1;
}

function readRows(organizationId: string): string {
  const of = `organization_id = '${organizationId}'`;
  const amounts = `'key', node_id || '/' || epoch, 'granted', granted::text, 'returned', returned::text,
    'settled', settled::text, 'reclaimed', reclaimed::text, 'outstanding', outstanding::text`;
  const list = (what: string, from: string) => `(select coalesce(jsonb_agg(${what}), '[]') from ${from} where ${of})`;
  return `select jsonb_build_object(
    'quota', (select jsonb_build_array(balance::text, leased::text, mode, largest_hold::text, total_purchased::text,
      total_granted::text, total_used::text, total_refunded::text, total_adjusted::text) from organization_quota where ${of}),
    'teams', ${list("jsonb_build_array(status, blocked_reason)", "teams")},
    'leases', ${list(`jsonb_build_object('state', state, ${amounts})`, "credit_leases")},
    'windows', ${list(
      `jsonb_build_object('key', scope, 'row',
        jsonb_build_array(amount::text, spent::text, leased::text, mode, largest_hold::text))`,
      "budget_windows",
    )},
    'budgetLeases', ${list(`jsonb_build_object('scope', scope, 'lease', jsonb_build_object(${amounts}))`, "budget_leases")},
    'events', ${list(
      `jsonb_build_object('key', id, 'cost', cost::text, 'applied', from_lease::text, 'loss', loss::text,
      'lost', (select coalesce(jsonb_agg(attempt.cost::text order by seq), '[]') from lost_attempts as attempt
        where attempt.event_id = usage_events.id))`,
      "usage_events",
    )},
    'transactions', (select coalesce(jsonb_agg(jsonb_build_object('key', kind || ' ' || amount)), '[]')
      from ledger_transactions join ledger_postings on transaction_id = ledger_transactions.id where ${of}
         or ledger_transactions.id in (
           select loss_transaction_id from usage_events where ${of}
           union all select transaction_id from lost_attempts where ${of}))) as rows`;
}
