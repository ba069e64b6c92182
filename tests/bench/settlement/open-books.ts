import { connect } from "@tollgate/db/connect.ts";
import { findBrokenInvariants } from "@tollgate/db/ledger/verify/find-broken-invariants.ts";
import { cloneDatabase, querySql } from "@tollgate/testkit/database.ts";
import { addTenant, type Tenant } from "@tollgate/testkit/tenants.ts";
import { addTestPrice, lendCredit } from "@tollgate/testkit/usage-events.ts";

/** A separate database with organizations. Their entire credit is leased to the node whose calls are settled. */
export interface CostBySource {
  readonly connectionString: string;
  readonly tenants: readonly Tenant[];
  /**
   * Returns the number of settled calls from the rollups. Counting the calls themselves would affect the measurement.
   */
  countSettled(): Promise<number>;
  countParked(): Promise<number>;
  countDeadlocks(): Promise<number>;
  /** Returns the size of the database. */
  readBytes(): Promise<number>;
  /** Returns the PIDs of the server processes for this database. */
  listBackends(): Promise<number[]>;
  /** Returns the ledger invariants that are violated. */
  findBroken(): Promise<string[]>;
  close(): Promise<void>;
}

const CREDIT = 10n ** 15n;
// Verification can take a long time, because it reads everything that was settled.
const VERIFY_LIMIT_MS = 600_000;

/** Creates a separate database with this many organizations. */
export async function openBooks(organizations: number): Promise<CostBySource> {
  const database = await cloneDatabase();
  const platform = database.connect("tollgate_platform");
  await addTestPrice(platform);
  const tenants: Tenant[] = [];
  for (let index = 0; index < organizations; index += 1) {
    const tenant = await addTenant(platform, { credit: CREDIT });
    await lendCredit(database, tenant, CREDIT);
    tenants.push(tenant);
  }
  const { connectionString } = database;
  const askNumber = async (text: string) => {
    const [row] = await querySql<{ number: string }>(connectionString, text);
    return Number(row?.number);
  };
  return {
    connectionString,
    tenants,
    countSettled: () => askNumber("select coalesce(sum(requests), 0) as number from usage_rollups"),
    countParked: () => askNumber("select count(*) as number from parked_events"),
    countDeadlocks: () =>
      askNumber("select deadlocks as number from pg_stat_database where datname = current_database()"),
    readBytes: () => askNumber("select pg_database_size(current_database()) as number"),
    listBackends: async () => {
      const rows = await querySql<{ pid: number }>(
        connectionString,
        "select pid from pg_stat_activity where datname = current_database() and application_name = 'tollgate worker'",
      );
      return rows.map(({ pid }) => pid);
    },
    findBroken: () => findBroken(connectionString),
    close: () => database.drop(),
  };
}

async function findBroken(connectionString: string): Promise<string[]> {
  const worker = connect({
    connectionString,
    role: "tollgate_worker",
    poolSize: 1,
    applicationName: "bench",
    statementLimitMs: VERIFY_LIMIT_MS,
  });
  try {
    // The node that has these leases never runs, so it has no undelivered events.
    const { checks } = await findBrokenInvariants(worker, { isAtRest: true });
    return checks.filter(({ ok }) => !ok).map(({ id, title }) => `${id}: ${title}`);
  } finally {
    await worker.destroy();
  }
}
