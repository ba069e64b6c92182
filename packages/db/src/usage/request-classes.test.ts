import { classOfSettled, classOfUnsettled, REQUEST_CLASSES } from "@tollgate/domain/figures/request-class.ts";
import { makeUuidV7 } from "@tollgate/domain/ids.ts";
import { querySql } from "@tollgate/testkit/database.ts";
import { test } from "@tollgate/testkit/test.ts";
import { addPayingTenant, makeUsageEvent } from "@tollgate/testkit/usage-events.ts";
import { expect } from "vitest";
import { settleUsage } from "../ledger/settle-usage.ts";
import { closeDay, ensureUsagePartitions } from "../ledger/usage-partitions.ts";
import { logRefusedCalls, type RefusedCall } from "./write-calls.ts";

const DAY_MS = 86_400_000;
const statuses = [400, 401, 402, 403, 404, 408, 413, 422, 429, 499, 500, 502, 503];

test("the rollups count each settled request in the class that the domain gives it", async ({ database }) => {
  const { worker, tenant } = await addPayingTenant(database, 1_000_000n);
  const atMs = Date.now() - 2 * DAY_MS;
  const day = new Date(atMs).toISOString().slice(0, 10);
  await ensureUsagePartitions(worker, day, day);
  const outcomes = [
    { status: "success", httpStatus: 200 } as const,
    { status: "client_disconnect", httpStatus: 499 } as const,
    ...statuses.map((httpStatus) => ({ status: "failure", httpStatus }) as const),
  ];
  const events = outcomes.map((outcome, index) =>
    makeUsageEvent(tenant, 1n, { id: makeUuidV7(atMs + index), ...outcome }),
  );
  await settleUsage(worker, events);
  const classes = outcomes.map(classOfSettled);
  const counts = REQUEST_CLASSES.map((name) => String(classes.filter((each) => each === name).length));
  const read = async (table: string) => {
    const [row] = await querySql<Record<string, string>>(
      database.connectionString,
      `select sum(requests - errors - canceled) as succeeded, sum(errors - rejected) as failed, 0::text as refused,
              sum(rejected) as rejected, sum(canceled) as canceled from ${table}`,
    );
    return REQUEST_CLASSES.map((name) => row?.[name]);
  };
  expect(await read("usage_rollups")).toEqual(counts);
  expect(await closeDay(worker, day)).toBe("sealed");
  expect(await read("usage_hours")).toEqual(counts);
  expect(await read("usage_days")).toEqual(counts);
});

test("a sampled row counts with its weight in its class, and gateways of the previous release are understood", async ({
  database,
}) => {
  const gateway = database.connect("tollgate_gateway");
  const { tenant } = await addPayingTenant(database, 0n);
  const call = (httpStatus: number): RefusedCall => {
    const id = makeUuidV7(Date.now());
    return {
      id,
      organizationId: tenant.organizationId,
      teamId: tenant.teamId,
      keyId: tenant.keyId,
      userId: null,
      requestId: id,
      endpoint: "chat.completions",
      modelGroup: "",
      isStream: false,
      httpStatus,
      errorCode: null,
    };
  };
  const facts = { limit: { kind: "requests", ownerType: "key", maximum: 2 } };
  await logRefusedCalls(gateway, [
    { ...call(429), class: "refused", weight: 40, facts },
    { ...call(404), class: "rejected", weight: 3, requestedModel: "sim/ech", param: "model", session: "s".repeat(200) },
    { ...call(499), class: "canceled", weight: 1 },
    { ...call(500), class: "failed", weight: 2 },
  ]);
  const sums = await querySql(
    database.connectionString,
    `select sum(requests)::int as requests, sum(failed)::int as failed, sum(rejected)::int as rejected,
            sum(canceled)::int as canceled, sum(unlogged)::int as unlogged, sum(unlogged_failed)::int as "unloggedFailed",
            sum(unlogged_rejected)::int as "unloggedRejected", sum(unlogged_canceled)::int as "unloggedCanceled"
       from refused_rollups`,
  );
  expect(sums).toEqual([
    {
      ...{ requests: 46, failed: 2, rejected: 3, canceled: 1 },
      ...{ unlogged: 42, unloggedFailed: 1, unloggedRejected: 2, unloggedCanceled: 0 },
    },
  ]);
  expect(
    await querySql(
      database.connectionString,
      "select class, weight, requested_model, param, facts, session from refused_calls where weight in (3, 40) order by weight",
    ),
  ).toEqual([
    { class: "rejected", weight: 3, requested_model: "sim/ech", param: "model", facts: null, session: "s".repeat(128) },
    { class: "refused", weight: 40, requested_model: null, param: null, facts, session: null },
  ]);

  const earlier = statuses.map(call);
  await logRefusedCalls(gateway, earlier);
  const rows = await querySql<{ id: string; class: string; weight: number }>(
    database.connectionString,
    `select id, class, weight from refused_calls where id in (${earlier.map(({ id }) => `'${id}'`).join(", ")})`,
  );
  expect(new Map(rows.map(({ id, class: name, weight }) => [id, `${name} ${weight}`]))).toEqual(
    new Map(earlier.map((each) => [each.id, `${classOfUnsettled(each)} 1`])),
  );
});
