import { MASTER_KEY } from "@tollgate/gateway/test-gateway.fixture.ts";
import { chatAnswer } from "@tollgate/testkit/chat-answers.ts";
import { expect } from "vitest";
import { OUTPUT_PRICE, test } from "./billed-gateway.fixture.ts";

test("metrics tell what calls cost and what is left of budgets", async ({ tollgate, upstreams }) => {
  const tenant = await tollgate.addTenant({ credit: 1_000_000_000n });
  await tollgate.addBudget(tenant, "team", 1_000_000n, "daily");
  await tollgate.addBudget(tenant, "key", 2_000_000n);
  const gateway = await tollgate.start({ yaml: "general_settings: { metrics_labels: [key] }" });
  upstreams.alpha.replies(200, chatAnswer({ inputTokens: 0, outputTokens: 10 }));
  expect((await gateway.chat(tenant.apiKey, { model: "flat", max_tokens: 10 })).status).toBe(200);
  await tollgate.settled(tenant, 1);
  const answer = await fetch(`${gateway.url}/metrics`, { headers: { "x-gw-api-key": MASTER_KEY } });
  const page = await answer.text();
  const readValue = (series: string) => {
    const line = page.split("\n").find((one) => one.startsWith(`${series} `));
    return line === undefined ? null : Number(line.slice(series.length));
  };
  const spent = Number(10n * OUTPUT_PRICE) / 1e9;
  expect(readValue(`gw_spend_metric_total{model="flat",team="${tenant.teamId}",key="${tenant.keyId}"}`)).toBe(spent);
  const team = `{id="${tenant.teamId}",alias="Research"}`;
  expect(readValue(`gw_team_max_budget_metric${team}`)).toBe(0.001);
  expect(readValue(`gw_remaining_team_budget_metric${team}`)).toBeCloseTo(0.001 - spent, 9);
  expect(readValue(`gw_team_budget_remaining_hours_metric${team}`)).toBeLessThanOrEqual(24);
  const key = `{id="${tenant.keyId}",alias="ci"}`;
  expect(readValue(`gw_remaining_api_key_budget_metric${key}`)).toBeCloseTo(0.002 - spent, 9);
  expect(readValue(`gw_api_key_budget_remaining_hours_metric${key}`)).toBeNull();
  expect(readValue("gw_spend_update_queue_size")).not.toBeNull();
});
