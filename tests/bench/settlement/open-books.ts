import { connect } from "@tollgate/db/connect.ts";
import { findBrokenInvariants } from "@tollgate/db/ledger/verify/find-broken-invariants.ts";
import { cloneDatabase, querySql } from "@tollgate/testkit/database.ts";
import { addTenant, type Tenant } from "@tollgate/testkit/tenants.ts";
import { addTestPrice, lendCredit } from "@tollgate/testkit/usage-events.ts";

/** A database of its own in which some organizations have credit, all of it lent to the node whose calls are settled. */
export interface CostBySource {
  readonly connectionString: string;
  readonly tenants: readonly Tenant[];
  /** How many calls were settled, read from the sums: counting the calls themselves would weigh on what is measured. */
  countSettled(): Promise<number>;
  countParked(): Promise<number>;
  countDeadlocks(): Promise<number>;
  /** How large the database is. */
  readBytes(): Promise<number>;
  /** The server's processes for this database, by their ids. */
  listBackends(): Promise<number[]>;
  /** What the books do not agree on. */
  findBroken(): Promise<string[]>;
  close(): Promise<void>;
}

const CREDIT = 10n ** 15n;
// Verifying reads everything that was settled.
const VERIFY_LIMIT_MS = 600_000;

/** Opens books for that many organizations. */
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
    // The node whose leases these are never runs, so nothing is missed of it.
    const { checks } = await findBrokenInvariants(worker, { isAtRest: true });
    return checks.filter(({ ok }) => !ok).map(({ id, title }) => `${id}: ${title}`);
  } finally {
    await worker.destroy();
  }
}
