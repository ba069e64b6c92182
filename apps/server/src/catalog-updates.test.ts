import { openCatalog, readBuiltInCatalog, useCatalog } from "@tollgate/catalog/catalog.ts";
import type { CatalogFile } from "@tollgate/catalog/model.ts";
import { addEdition } from "@tollgate/db/catalog/editions.ts";
import { replacePriceList } from "@tollgate/db/organizations/price-list.ts";
import { runAsAdministrator } from "@tollgate/db/tenancy.ts";
import { chatAnswer } from "@tollgate/testkit/chat-answers.ts";
import { querySql } from "@tollgate/testkit/database.ts";
import { reply } from "@tollgate/testkit/upstream-behaviors.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { afterEach, expect } from "vitest";
import { test } from "./billed-gateway.fixture.ts";

const USD = 1_000_000_000n;
const models = `
  - {model_name: listed, litellm_params: {model: openai/gpt-4o, api_base: "{origin}/v1", api_key: unused}}`;
/** Each response has 12 input tokens and one output token, which costs 10,000 nano-USD at the provider. */
const ANSWER = chatAnswer({ inputTokens: 12, outputTokens: 1 });
const OLD_COST = 12 * 2_500 + 10_000;
const NEW_COST = 12 * 5_000 + 10_000;
const CALLS = 60;
const UPDATE_AT = 20;

afterEach(() => useCatalog(openCatalog(readBuiltInCatalog())));

/** Returns the built-in edition with another price for input tokens of gpt-4o, in pico-USD. */
function edition(version: string, input: number): string {
  const file = JSON.parse(readBuiltInCatalog()) as CatalogFile;
  const changed = file.models.map((model) =>
    model.id === "openai/gpt-4o" ? { ...model, prices: { ...model.prices, input } } : model,
  );
  return JSON.stringify({ ...file, version, models: changed });
}

test("an organization pays its own price, and the ledger keeps the provider's", async ({
  tollgate,
  upstreams,
  database,
}) => {
  const [tenant, other] = [await tollgate.addTenant({ credit: USD }), await tollgate.addTenant({ credit: USD })];
  const yaml = "gw_settings: {cost_margin: {openai: 0.2}}";
  const gateway = await tollgate.start({ models, yaml });
  const entry = { modelGroup: "listed", terms: { shareMillionths: -100_000n, fixedNanoUsd: 7_000n } };
  await runAsAdministrator(database.connect("tollgate_platform"), (transaction) =>
    replacePriceList(transaction, tenant.organizationId, [entry], new Date()),
  );
  upstreams.alpha.replies(200, ANSWER);
  const ask = (key: string) => gateway.chat(key, { model: "listed", max_tokens: 10 });
  // The provider's price with a margin of 20 %, a discount of 10 %, and an amount per request.
  const listed = 12 * 2_700 + 10_800 + 7_000;
  expect((await ask(tenant.apiKey)).headers.get("x-gw-response-cost-nano-usd")).toBe(String(listed));
  const standard = 12 * 3_000 + 12_000;
  expect((await ask(other.apiKey)).headers.get("x-gw-response-cost-nano-usd")).toBe(String(standard));
  const quote = await fetch(`${gateway.url}/utils/cost_quote`, {
    method: "POST",
    headers: { "x-gw-api-key": tenant.apiKey, "content-type": "application/json" },
    body: JSON.stringify({ model: "listed", max_tokens: 1, messages: [{ role: "user", content: "hello" }] }),
  });
  const { worst_case_nano_usd: worst } = (await quote.json()) as { worst_case_nano_usd: number };
  expect(worst).toBeGreaterThan(7_000);
  await tollgate.settled(tenant, 1);
  await tollgate.settled(other, 1);
  const rows = await querySql(
    database.connectionString,
    "select organization_id, cost::text, provider_cost::text from usage_events where model_group = 'listed'",
  );
  const providerCost = String(OLD_COST);
  expect(rows).toEqual(
    expect.arrayContaining([
      { organization_id: tenant.organizationId, cost: String(listed), provider_cost: providerCost },
      { organization_id: other.organizationId, cost: String(standard), provider_cost: providerCost },
    ]),
  );
});

// The edition stays in the database of this file, so this test is the last one.
test("an update under load fails no call, and calls admitted before it settle at the old version", async ({
  tollgate,
  upstreams,
  database,
}) => {
  const tenant = await tollgate.addTenant({ credit: 10n * USD });
  const gateway = await tollgate.start({ models });
  let release = (): void => {};
  const isReleased = new Promise<void>((resolve) => {
    release = resolve;
  });
  const answers = reply(200, ANSWER);
  upstreams.alpha.behaves(async (exchange) => {
    await isReleased;
    await answers(exchange);
  }, answers);
  const early = gateway.chat(tenant.apiKey, { model: "listed", max_tokens: 10 });
  await upstreams.alpha.request(0);
  const statuses: number[] = [];
  for (let call = 0; call < CALLS; call += 1) {
    if (call === UPDATE_AT) {
      await runAsAdministrator(database.connect("tollgate_platform"), (transaction) =>
        addEdition(transaction, {
          edition: "2026-12.1",
          pricesAsOf: "2026-12-01",
          sha256: "0".repeat(64),
          content: edition("2026-12.1", 5_000_000),
          signedBy: null,
          origin: "test",
          isPinned: false,
          appliedBy: "operator",
        }),
      );
    }
    statuses.push((await gateway.chat(tenant.apiKey, { model: "listed", max_tokens: 10 })).status);
  }
  await waitFor("a call at the new price", async () => {
    const answer = await gateway.chat(tenant.apiKey, { model: "listed", max_tokens: 10 });
    statuses.push(answer.status);
    return answer.headers.get("x-gw-response-cost-nano-usd") === String(NEW_COST);
  });
  release();
  const answer = await early;
  expect(answer.status).toBe(200);
  expect(answer.headers.get("x-gw-response-cost-nano-usd")).toBe(String(OLD_COST));
  expect(statuses.filter((status) => status !== 200)).toEqual([]);
  const settled = await tollgate.settled(tenant, statuses.length + 1);
  expect(new Set(settled.map(({ cost }) => cost))).toEqual(new Set([BigInt(OLD_COST), BigInt(NEW_COST)]));
});
