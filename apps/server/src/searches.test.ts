import { querySql } from "@tollgate/testkit/database.ts";
import { expect } from "vitest";
import { test } from "./billed-gateway.fixture.ts";

const USD = 1_000_000_000n;

test("a rerank call is held, charged, and recorded per search", async ({ tollgate, upstreams, database }) => {
  const tenant = await tollgate.addTenant({ credit: USD });
  const model = `{ model: cohere/rerank-v3.5, api_base: "{origin}", api_key: co-1 }`;
  const gateway = await tollgate.start({ models: `  - { model_name: sorter, litellm_params: ${model} }` });
  const results = [{ index: 0, relevance_score: 0.5 }];
  upstreams.alpha.replies(200, { id: "r", results, meta: { billed_units: { search_units: 3 } } });
  const answer = await fetch(`${gateway.url}/v1/rerank`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-gw-api-key": tenant.apiKey },
    body: JSON.stringify({ model: "sorter", query: "q", documents: Array.from({ length: 250 }, () => "text") }),
  });
  expect(answer.status).toBe(200);
  // The call made three searches at the catalog price of 0.002 USD each.
  const [call] = await tollgate.settled(tenant, 1);
  expect(call).toMatchObject({ status: "success", model_group: "sorter", cost: 6_000_000n, usage_source: "reported" });
  expect(call?.hold).toBeGreaterThanOrEqual(6_000_000n);
  expect(await tollgate.balanceOf(tenant)).toBe(USD - 6_000_000n);
  const [row] = await querySql(
    database.connectionString,
    `select searches, per_search_pico from usage_events join price_versions p on p.id = price_version_id
      where organization_id = '${tenant.organizationId}'`,
  );
  expect(row).toMatchObject({ searches: "3", per_search_pico: "2000000000" });
});
