import { makeUuidV7 } from "@tollgate/domain/ids.ts";
import { NO_USAGE } from "@tollgate/domain/pricing/usage.ts";
import { test } from "@tollgate/testkit/test.ts";
import { addPayingTenant, makeUsageEvent } from "@tollgate/testkit/usage-events.ts";
import { expect } from "vitest";
import { settleUsage } from "../ledger/settle-usage.ts";
import { ensureUsagePartitions } from "../ledger/usage-partitions.ts";
import { readMeanOutput } from "./read-mean-output.ts";

const DAY_MS = 86_400_000;
const dayOf = (ms: number) => new Date(ms).toISOString().slice(0, 10);

test("averages the output of the organization's own successful calls to the model group in the last seven days", async ({
  database,
}) => {
  const { worker, tenant } = await addPayingTenant(database, 1_000_000n);
  const { tenant: other } = await addPayingTenant(database, 1_000_000n);
  const nowMs = Date.now();
  const longAgoMs = nowMs - 9 * DAY_MS;
  await ensureUsagePartitions(worker, dayOf(longAgoMs), dayOf(nowMs));
  const event = (of: typeof tenant, outputTokens: number, facts: object = {}) =>
    makeUsageEvent(of, BigInt(outputTokens), {
      id: makeUuidV7(nowMs - 3_600_000),
      modelGroup: "fast",
      usage: { ...NO_USAGE, outputTokens },
      ...facts,
    });
  await settleUsage(worker, [
    event(tenant, 100),
    event(tenant, 201),
    event(tenant, 0, { status: "failure" }),
    event(tenant, 9_000, { modelGroup: "slow" }),
    event(tenant, 9_000, { id: makeUuidV7(longAgoMs) }),
    event(other, 9_000),
  ]);
  const gateway = database.connect("tollgate_gateway");
  expect(await readMeanOutput(gateway, tenant.organizationId, "fast")).toBe(150.5);
  expect(await readMeanOutput(gateway, tenant.organizationId, "unheard")).toBeNull();
});
