import { ensureUsagePartitions } from "@tollgate/db/ledger/usage-partitions.ts";
import { querySql } from "@tollgate/testkit/database.ts";
import { addTenant } from "@tollgate/testkit/tenants.ts";
import { test } from "@tollgate/testkit/test.ts";
import { expect } from "vitest";
import { applyUsageRetention } from "./apply-usage-retention.ts";

const DAY_MS = 86_400_000;
const dayBefore = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);

test("closes past days and drops them after the retention period, except days whose totals do not match", async ({
  database,
}) => {
  const worker = database.connect("tollgate_worker");
  const ask = <Row>(text: string) => querySql<Row>(database.connectionString, text);
  for (const days of [402, 401, 400, 4, 3, 2]) await ensureUsagePartitions(worker, dayBefore(days), dayBefore(days));
  const { organizationId } = await addTenant(database.connect("tollgate_platform"));
  await ask(`insert into usage_rollups values
    ('${organizationId}', '${dayBefore(4)}T00:00Z', '', 'key', 'fast', '', 1, 0, 0, 0, 0, 0, 0, 5, 0)`);
  const errors: string[] = [];

  await applyUsageRetention(worker, { info: () => {}, warn: () => {}, error: (message) => errors.push(message) }, 400);

  const sealed = await ask<{ day: string }>("select day::text from usage_day_seals order by 1");
  expect(sealed.map(({ day }) => day)).toEqual([402, 401, 400, 3].map(dayBefore));
  const [oldest] = await ask<{ day: string }>("select oldest_usage_day()::text as day");
  expect(oldest?.day).toBe(dayBefore(400));
  expect(errors).toEqual([`could not close ${dayBefore(4)}: its requests do not match its totals`]);
});
