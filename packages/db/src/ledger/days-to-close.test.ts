import { makePrefixedId } from "@tollgate/domain/ids.ts";
import { querySql } from "@tollgate/testkit/database.ts";
import { test } from "@tollgate/testkit/test.ts";
import { expect } from "vitest";
import { ensureUsagePartitions, listDaysToClose } from "./usage-partitions.ts";

const DAY_MS = 86_400_000;
const dayBefore = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString().slice(0, 10);

test("a day can be closed after it ends, unless a gateway may still deliver that day's calls", async ({ database }) => {
  const worker = database.connect("tollgate_worker");
  const node = makePrefixedId("node", 3);
  await ensureUsagePartitions(worker, dayBefore(12), dayBefore(0));
  const say = (oldest: string, aliveUntil: string) =>
    querySql(
      database.connectionString,
      `delete from gateway_nodes; insert into gateway_nodes (node_id, epoch, oldest_unconfirmed_at, alive_until)
       values ('${node}', 1, ${oldest}, ${aliveUntil})`,
    );
  const daysFrom = (first: number, last: number) =>
    Array.from({ length: first - last + 1 }, (_, index) => dayBefore(first - index));

  await say("null", "now() + interval '30 seconds'");
  expect(await listDaysToClose(worker, 2)).toEqual(daysFrom(12, 3));
  await say("now() - interval '6 days'", "now() + interval '30 seconds'");
  expect(await listDaysToClose(worker, 2)).toEqual(daysFrom(12, 8));
  await say("null", "now() - interval '6 days'");
  expect(await listDaysToClose(worker, 2)).toEqual([...daysFrom(12, 8), ...daysFrom(5, 3)]);
  await say("now() - interval '10 days'", "now() - interval '6 days'");
  expect(await listDaysToClose(worker, 2)).toEqual([dayBefore(12), ...daysFrom(5, 3)]);
  await querySql(
    database.connectionString,
    `insert into usage_day_seals (day, organization_id, events, cost, billed, digest) values ('${dayBefore(4)}', '', 0, 0, 0, '')`,
  );
  expect(await listDaysToClose(worker, 2)).toEqual([dayBefore(12), dayBefore(5), dayBefore(3)]);
});
