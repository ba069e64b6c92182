import { connect } from "@tollgate/db/connect.ts";
import { leaseCredit } from "@tollgate/db/leases/lease-credit.ts";
import { registerNode } from "@tollgate/db/leases/register-node.ts";
import { STRICT_ADMISSION } from "@tollgate/domain/credit/admission.ts";
import { makePrefixedId } from "@tollgate/domain/ids.ts";
import { cloneDatabase, querySql } from "@tollgate/testkit/database.ts";
import { addTenant, type Tenant } from "@tollgate/testkit/tenants.ts";
import { readCpuMs } from "../measure/process-usage.ts";
import { undoAtEnd } from "../processes/clean-up.ts";

const credit = 10n ** 15n;
const applicationName = "bench leases";

/** Cost of a lease statement for the database and for the gateway, by number of organizations. */
export interface LeaseCosts {
  readonly organizations: number;
  readonly databaseMicros: number;
  readonly gatewayMicros: number;
}

/** Sends lease statements for one and for many organizations over one connection. */
export async function measureLeases(statements: number): Promise<readonly LeaseCosts[]> {
  const database = await cloneDatabase();
  const drop = undoAtEnd(() => database.drop());
  const platform = database.connect("tollgate_platform");
  const tenants: Tenant[] = [];
  for (let index = 0; index < 50; index += 1) tenants.push(await addTenant(platform, { credit }));
  const db = connect({
    connectionString: database.connectionString,
    role: "tollgate_gateway",
    poolSize: 1,
    applicationName,
  });
  const nodeId = makePrefixedId("node", Date.now());
  const { epoch } = await registerNode(db, { nodeId, knownEpoch: 0, host: "bench" });
  const [backend] = await querySql<{ pid: number }>(
    database.connectionString,
    `select pid from pg_stat_activity where application_name = '${applicationName}' and datname = current_database()`,
  );
  if (backend === undefined) throw new Error("the connection whose CPU is to be read was not found");
  let seq = 0;
  const ask = (organizations: number, first: number) => {
    seq += 1;
    const requests = Array.from({ length: organizations }, (_, index) => ({
      organizationId: tenants[(first + index) % tenants.length]?.organizationId ?? "",
      seq,
      allowances: [
        { allowance: { kind: "credit" }, returned: 0n, slice: 1_000n, largestHold: 100n, recallSeen: 0 },
      ] as const,
      holds: [{ amount: 100n, allowances: [0] }],
      afterRecall: 0,
    }));
    return leaseCredit(db, { nodeId, epoch, admission: STRICT_ADMISSION, requests });
  };
  const measure = async (organizations: number): Promise<LeaseCosts> => {
    for (let index = 0; index < statements / 4; index += 1) await ask(organizations, index);
    const before = { database: readCpuMs([backend.pid]), own: process.cpuUsage() };
    for (let index = 0; index < statements; index += 1) await ask(organizations, index);
    const own = process.cpuUsage(before.own);
    return {
      organizations,
      databaseMicros: Math.round(((readCpuMs([backend.pid]) - before.database) * 1000) / statements),
      gatewayMicros: Math.round((own.user + own.system) / statements),
    };
  };
  const costs = [await measure(1), await measure(20)];
  await db.destroy();
  await drop();
  return costs;
}
