import { makePrefixedId } from "@tollgate/domain/ids.ts";
import { querySql } from "@tollgate/testkit/database.ts";
import { test } from "@tollgate/testkit/test.ts";
import { expect } from "vitest";
import { runAsAdministrator } from "../tenancy.ts";
import { sumMargins } from "./sum-margins.ts";

test("the totals include the groups that a long report leaves out", async ({ database }) => {
  const organizationId = makePrefixedId("org", 1);
  const models = 1_100;
  await querySql(
    database.connectionString,
    `insert into usage_rollups (organization_id, bucket_at, team_id, key_id, model_group, provider, requests, errors,
       input_tokens, cache_read_tokens, cache_write_tokens, output_tokens, reasoning_tokens, cost, latency_ms_sum, margin)
     select '${organizationId}', '2026-11-01T00:00:00Z', '', 'key', 'model-' || number, 'sim', 2, 0, 0, 0, 0, 0, 0, 10, 0, 3
       from generate_series(1, ${models}) as number`,
  );
  const range = { from: new Date("2026-11-01T00:00:00Z"), to: new Date("2026-11-02T00:00:00Z") };
  const report = (grouping: "model" | "day") =>
    runAsAdministrator(database.connect("tollgate_platform"), (transaction) =>
      sumMargins(transaction, { ...range, grouping }),
    );
  const { groups, totals } = await report("model");
  expect(groups.length).toBeLessThan(models);
  expect(totals).toEqual({ requests: models * 2, revenue: BigInt(models * 10), margin: BigInt(models * 3) });
  expect((await report("day")).totals).toEqual(totals);
});
