import type { Attack, Case, CaseContext, CaseOutcome } from "../case.ts";
import type { ModelName } from "../models.ts";
import { script } from "../upstream/script.ts";
import { refused } from "./admission-cases.ts";
import { exactly } from "./cut-cases.ts";

/** Error codes for an unknown field, for a misplaced field, and for a tool that the provider runs. */
const UNSUPPORTED = ["unsupported_parameter", "invalid_request", "unsupported_tool"];
const SEARCH = { type: "web_search" };
const OPUS = "anthropic/claude-opus-4";
const FOREIGN_HEADERS = ["openai-organization", "helicone-target-url", "cf-aig-custom-cost"] as const;

export const fieldCases: readonly Case[] = [
  {
    name: "routing-fields",
    promise: "A caller cannot choose which model an aggregator bills",
    guards: "row 3, allow list",
    isQuick: true,
    run: (context) =>
      refuseFields(context, "aggregator", [
        { models: [OPUS] },
        { route: "fallback" },
        { provider: { order: ["anthropic"] } },
        { plugins: [{ id: "web" }] },
        { extra_body: { models: [OPUS] } },
        { extra_body: { plugins: [{ id: "web" }] } },
      ]),
  },
  {
    name: "search-fields",
    promise: "A caller cannot order work that is billed apart from tokens",
    guards: "row 3, allow list",
    isQuick: true,
    run: (context) =>
      refuseFields(context, "mind", [
        { web_search_options: {} },
        { search_parameters: { mode: "on" } },
        { enable_search: true },
        { gold_plating: true },
        { extra_body: { tools: [SEARCH] } },
        { extra_body: { web_search_options: {} } },
        { extra_body: { enable_search: true } },
        { extra_body: { service_tier: "priority" } },
      ]),
  },
  {
    name: "cost-fields",
    promise: "A caller cannot replace a field that decides the cost",
    guards: "row 3, allow list",
    isQuick: true,
    run: (context) =>
      refuseFields(context, "mind", [
        { extra_body: { n: 8 } },
        { extra_body: { max_tokens: 100_000 } },
        { extra_body: { model: "expensive" } },
        { extra_body: { messages: [] } },
        { extra_body: { stream: true } },
      ]),
  },
  {
    name: "dropped-fields",
    promise: "A caller cannot drop a field that decides the cost, so no answer is retried at the operator's expense",
    guards: "row 4, additional_drop_params",
    isQuick: true,
    run: (context) =>
      refuseFields(context, "mind", [
        { stream: true, additional_drop_params: ["stream"], num_retries: 5 },
        { additional_drop_params: ["messages"], num_retries: 5 },
        { additional_drop_params: ["max_tokens"] },
        { additional_drop_params: ["model"] },
        { stream: true, additional_drop_params: ["stream_options"] },
      ]),
  },
  {
    name: "provider-tools",
    promise: "A caller cannot order tools that the provider runs and bills, on any surface",
    guards: "row 3, allow list",
    isQuick: true,
    run: orderTools,
  },
  {
    name: "usage-declined",
    promise: "A caller that declines the usage of a stream is charged as any other",
    guards: "row 1, usage is always asked for",
    isQuick: true,
    run: async (context) => {
      const tenant = await context.addTenant();
      const fields = { stream_options: { include_usage: false } };
      const shape = { tenant, model: "mind", isStream: true, fields, scripts: [script({ hidden: 2_000 })] } as const;
      const attacks: Attack[] = [
        { ...shape, nonce: context.nonce() },
        { ...shape, nonce: context.nonce(), cut: { at: "word", count: 8 } },
      ];
      await Promise.all(attacks.map(context.attack));
      return { calls: attacks.map(exactly) };
    },
  },
  {
    name: "provider-headers",
    promise: "A caller's extra headers cannot change which account the provider bills",
    guards: "row 3, header allow list",
    isQuick: true,
    run: sendHeaders,
  },
  {
    name: "more-expensive-model",
    promise: "An answer of a more expensive model is charged at its price up to the hold; the rest is operator loss",
    guards: "row 3, response model check",
    isQuick: true,
    run: answerAsAnother,
  },
];

async function refuseFields(context: CaseContext, model: ModelName, fields: readonly object[]): Promise<CaseOutcome> {
  const tenant = await context.addTenant();
  const attacks = fields.map((each): Attack => {
    const nonce = context.nonce();
    // The nonce keeps the call identifiable even if the messages are replaced.
    return { nonce, tenant, model, fields: { user: nonce, ...each } };
  });
  const logs = await Promise.all(attacks.map(context.attack));
  return refused(attacks, logs, UNSUPPORTED);
}

async function orderTools(context: CaseContext): Promise<CaseOutcome> {
  const tenant = await context.addTenant();
  const orders: readonly Pick<Attack, "model" | "surface" | "fields">[] = [
    { model: "mind", surface: "chat", fields: { tools: [SEARCH] } },
    { model: "responses-mind", surface: "responses", fields: { tools: [{ type: "web_search_preview" }] } },
    {
      model: "responses-mind",
      surface: "responses",
      fields: { tools: [{ type: "code_interpreter", container: { type: "auto" } }] },
    },
    {
      model: "claude-mind",
      surface: "messages",
      fields: { tools: [{ type: "web_search_20250305", name: "web_search" }] },
    },
  ];
  const attacks = orders.map((order): Attack => ({ nonce: context.nonce(), tenant, ...order }));
  return refused(attacks, await Promise.all(attacks.map(context.attack)), null);
}

/** Checks that the gateway rejects or drops these headers and never sends them to the upstream. */
async function sendHeaders(context: CaseContext): Promise<CaseOutcome> {
  const tenant = await context.addTenant();
  const attacks = FOREIGN_HEADERS.map((header): Attack => {
    return { nonce: context.nonce(), tenant, model: "mind", fields: { extra_headers: { [header]: "attacker" } } };
  });
  await Promise.all(attacks.map(context.attack));
  const problems = attacks.flatMap(({ nonce }, index) => {
    const header = FOREIGN_HEADERS[index] as string;
    const sent = context.stage.hostile.attemptsOf(nonce).some(({ headers }) => headers[header] !== undefined);
    return sent ? [`${nonce}: ${header} reached the upstream`] : [];
  });
  return { calls: attacks.map(exactly), problems };
}

async function answerAsAnother(context: CaseContext): Promise<CaseOutcome> {
  const tenant = await context.addTenant();
  const own = script({ servedAs: OPUS, frames: 2 });
  const covered = [false, true].map((isStream): Attack => {
    return { nonce: context.nonce(), tenant, model: "aggregator", isStream, maxTokens: 4_000, scripts: [own] };
  });
  const beyond = [false, true].map((isStream): Attack => {
    return { nonce: context.nonce(), tenant, model: "aggregator", isStream, maxTokens: 10, scripts: [own] };
  });
  await Promise.all([...covered, ...beyond].map(context.attack));
  return {
    calls: [
      ...covered.map(exactly),
      ...beyond.map(({ nonce }) => ({ nonce, expects: { kind: "loss", charged: "hold" } }) as const),
    ],
  };
}
