import { loadCatalog } from "@tollgate/catalog/catalog.ts";
import { priceOfModel, priceRulesOf } from "@tollgate/catalog/price-of-model.ts";
import { fixCard } from "@tollgate/domain/pricing/fix-price.ts";
import { priceVersionId } from "@tollgate/domain/pricing/price-version.ts";
import { pricesOf } from "@tollgate/domain/pricing/prices.fixture.ts";
import { type PriceRule, type RateCard, serviceTiersOf } from "@tollgate/domain/pricing/rate-card.ts";
import { NO_USAGE, type Usage } from "@tollgate/domain/pricing/usage.ts";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Call } from "../call/call.ts";
import type { Deployment } from "../call/deployment.ts";
import type { OperationKind } from "../call/operation-kind.ts";
import { completions } from "../operations/completions/completions.ts";
import { estimateInput } from "../operations/estimate-input.ts";
import { leavesTierOpen, namedTiers } from "../operations/requested-facts.ts";
import { billsSearchesOnce, searchTraitsOf } from "../operations/search-traits.ts";
import { makeChatCall } from "../pipeline/chat-call.fixture.ts";
import { priceOfTool } from "../providers/provider-tools.ts";
import { BILLING } from "./billing.fixture.ts";
import type { CallAccount } from "./call-account.ts";
import { withFees } from "./call-fees.ts";
import { conditionalPrices, servedPrice } from "./conditional-price.ts";
import { estimateCall } from "./estimate-call.ts";
import { costOf, holdPriceOf } from "./record-usage.ts";
import { isPossible } from "./usage-of.ts";

/** Number of requests. The nightly run has 100,000. */
const CASES = Number(process.env.PRICE_CASES ?? 3_000);
const LIMIT_MS = 600_000;

const peak = { name: "peak hours", timeZone: "UTC", days: [], fromMinute: 60, toMinute: 240 };
const AT_PEAK = Date.parse("2026-11-17T02:00:00Z");
const AT_NIGHT = Date.parse("2026-11-17T12:00:00Z");
const regions = ["us", "eu", "regional", "global"];

/** Deployments differ in how their provider counts searches. */
const models = [
  ["openai", "gpt-5"],
  ["openai", "gpt-4o-search-preview"],
  ["azure", "gpt-5"],
  ["anthropic", "claude-opus-4-6"],
  ["gemini", "gemini-2.5-flash"],
  ["vertex_ai", "gemini-3-pro-preview"],
  ["perplexity", "sonar"],
  ["perplexity", "sonar-deep-research"],
  ["xai", "grok-4"],
] as const;

const rate = fc.bigInt({ min: 0n, max: 20_000_000n });
const ruleOfAnyKind: fc.Arbitrary<PriceRule> = fc.record({
  when: fc.record(
    {
      serviceTier: fc.constantFrom("flex", "priority", "batch", "fast"),
      searchContext: fc.constantFrom("low", "high"),
      region: fc.constantFrom("us", "eu"),
      hours: fc.constant(peak),
      aboveInputTokens: fc.constantFrom(20, 30_000, 100_000),
    },
    { requiredKeys: [] },
  ),
  prices: fc.record(
    { input: rate, output: rate, cacheRead: rate, cacheWrite: rate, longCacheWrite: rate, perWebSearch: rate },
    { requiredKeys: [] },
  ),
});
/** A rule without a condition is refused wherever prices are read. */
const anyRule = ruleOfAnyKind.filter(({ when }) => Object.keys(when).length > 0);
const inventedCard: fc.Arbitrary<RateCard> = fc.record({
  base: pricesOf(rate),
  rules: fc.array(anyRule, { maxLength: 5 }),
});

/** The cards of the catalog, which are those that customers are charged by. */
const catalogCards = loadCatalog()
  .providers()
  .flatMap((provider) => loadCatalog().modelsOfProvider(provider))
  .flatMap((model): readonly RateCard[] => {
    const base = model.mode === "chat" ? priceOfModel(model) : null;
    const rules = priceRulesOf(model);
    return base === null || rules.length === 0 ? [] : [{ base, rules }];
  });

const standardCard = fc.oneof(inventedCard, fc.constantFrom(...catalogCards));
const fixedRates = fc.record({ input: rate, output: rate, cacheRead: rate, perRequest: rate }, { requiredKeys: [] });
/** Cards of organizations with a fixed price. */
const fixedCard = fc
  .tuple(standardCard, fixedRates, fc.array(anyRule, { maxLength: 3 }))
  .map(([card, prices, rules]) => fixCard(card, { prices, rules }));
const anyCard = fc.oneof({ weight: 2, arbitrary: standardCard }, { weight: 1, arbitrary: fixedCard });

const context = fc.constantFrom("low", "medium", "high");
const anyTool = fc.oneof(
  fc.record({ type: fc.constant("web_search"), search_context_size: context }, { requiredKeys: ["type"] }),
  fc.record({ type: fc.constant("web_search_20250305"), max_uses: fc.integer({ min: 0, max: 20 }) }),
  fc.constantFrom({ type: "file_search" }, { type: "code_interpreter" }, { type: "mcp" }, { type: "x_search" }),
  fc.record({ type: fc.constant("web_fetch_20250910"), max_content_tokens: fc.integer({ min: 1, max: 50_000 }) }),
);
const anyRequest = fc.record(
  {
    max_tokens: fc.integer({ min: 1, max: 1_000 }),
    service_tier: fc.constantFrom("auto", "default", "flex", "priority"),
    speed: fc.constantFrom("fast", "standard"),
    inference_geo: fc.constantFrom(...regions),
    web_search_options: fc.record({ search_context_size: context }),
    tools: fc.array(anyTool, { minLength: 1, maxLength: 3 }),
    max_tool_calls: fc.integer({ min: 0, max: 20 }),
    cache: fc.constant("1h"),
    stream: fc.constant(true),
    // A text completion, which a chat model serves.
    prompt: fc.constant("hello"),
    system: fc.constant("Answer in one word. ".repeat(500)),
  },
  { requiredKeys: ["max_tokens"] },
);
/** What is known of a deployment: the fields that it doesn't send, and the context window. */
const anyTarget = fc.record({
  drops: fc.subarray(["speed", "service_tier"]),
  maxInputTokens: fc.constantFrom(400_000, null),
});
type Request = typeof anyRequest extends fc.Arbitrary<infer Value> ? Value : never;

const share = fc.integer({ min: 0, max: 100 });
/** What the provider serves, in percent of the limits of the request. */
const anyOutcome = fc.record({
  input: share,
  read: share,
  long: share,
  output: share,
  reasoning: share,
  calls: share,
  tool: fc.nat(),
  tier: fc.nat(),
  region: fc.option(fc.constantFrom(...regions)),
  isPeak: fc.boolean(),
  // A response that ended early states nothing.
  isCut: fc.boolean(),
});
type Outcome = typeof anyOutcome extends fc.Arbitrary<infer Value> ? Value : never;

test(
  "no usage within the limits of a request costs more than its hold",
  () => {
    const anyCase = fc.tuple(anyCard, fc.constantFrom(...models), anyRequest, anyTarget, anyOutcome, anyOutcome);
    let cases = 0;
    fc.assert(
      fc.property(anyCase, ([card, [provider, model], request, target, first, second]) => {
        const { drops } = target;
        const deployment = deploymentOf(card, provider, model, target);
        const sent = drops.includes("speed") ? { ...request, speed: undefined } : request;
        const tiers = servedTiers(drops.includes("service_tier") ? { ...sent, service_tier: undefined } : sent, card);
        const firstTier = tiers[first.tier % tiers.length] ?? null;
        expectCovered(deployment, request, first, firstTier);
        // The first response has shown the tier of the account, and the hold of the next request is based on it.
        const known = leavesTierOpen(request) ? [null, firstTier] : tiers;
        expectCovered(deployment, request, second, known[second.tier % known.length] ?? null);
        cases += 2;
      }),
      { numRuns: CASES / 2 },
    );
    if (process.env.PRICE_CASES !== undefined)
      console.log(JSON.stringify({ cases, catalogCards: catalogCards.length }));
  },
  LIMIT_MS,
);

function expectCovered(deployment: Deployment, request: Request, outcome: Outcome, tier: string | null): void {
  const call = callWith(request);
  const price = holdPriceOf(call, deployment);
  if (price === null) {
    // Such calls are refused: nothing that a text response reports has a price.
    expect(deployment.price?.output).toBe(0n);
    return;
  }
  const hold = estimateCall(call, deployment, price, BILLING, { free: null, largestHold: () => 10n ** 15n });
  const usage = usageOf(call, deployment, request, outcome, tier);
  const prices = conditionalPrices(call, deployment);
  const at = outcome.isPeak ? AT_PEAK : AT_NIGHT;
  const charged = prices === null ? deployment : servedPrice(prices, deployment, usage, at);
  expect(costOf(charged, usage)).toBeLessThanOrEqual(hold.amount);
  // Otherwise, the report of such a response would not be believed, and the hidden part of it would be free.
  const account = { call, deployment, heldOutput: hold.outputTokens, openChoices: 0, priced: charged };
  expect(isPossible(account as unknown as CallAccount, usage)).toBe(true);
}

/** Returns the tiers that a provider can serve: the base tier, and the requested tier or any tier of an account. */
function servedTiers(request: Partial<Request>, card: RateCard): readonly (string | null)[] {
  const named = namedTiers(request).map(({ tier }) => tier);
  if (named.length === 1 && named[0] === "flex" && serviceTiersOf(card).includes("flex")) return named;
  if (!leavesTierOpen(request)) return ["default", ...named];
  return [null, "default", ...serviceTiersOf(card).filter((tier) => tier !== "batch" && tier !== "fast")];
}

/** Returns usage within the limits of a request. */
function usageOf(
  call: Call,
  deployment: Deployment,
  { max_tokens: limit }: Request,
  shares: Outcome,
  serviceTier: string | null,
): Usage {
  const part = (whole: number, percent: number) => Math.floor((whole * percent) / 100);
  // A research model reads sources and reasons beyond the limits of the request.
  const { beside } = searchTraitsOf(deployment);
  const input = part(estimateInput(call, deployment), shares.input) + part(beside.cited, shares.calls);
  const cacheReadTokens = part(input, shares.read);
  const cacheWriteTokens = part(input - cacheReadTokens, shares.long);
  const thoughts = part(beside.reasoning, shares.reasoning);
  const outputTokens = part(limit, shares.output) + thoughts;
  const usage: Usage = {
    ...NO_USAGE,
    inputTokens: input - cacheReadTokens - cacheWriteTokens,
    cacheReadTokens,
    cacheWriteTokens,
    longCacheWriteTokens: call.mayCacheLong ? cacheWriteTokens : 0,
    outputTokens,
    reasoningTokens: thoughts + part(outputTokens - thoughts, shares.reasoning),
    ...toolsOf(call, deployment, shares),
    source: shares.isCut ? "estimated" : "reported",
    ...(!shares.isCut && { served: { serviceTier, searchContext: null, region: shares.region } }),
  };
  return withFees(usage, call, deployment, deployment);
}

/** Returns the calls of one of the requested tools, as the provider counts them. */
function toolsOf(call: Call, deployment: Deployment, { calls, tool }: Outcome): Partial<Usage> {
  const { name } = deployment.provider;
  const { tools } = call.parts;
  const isResearch = deployment.upstreamModel === "sonar-deep-research";
  if (isResearch && tools === undefined) return { webSearches: Math.floor((32 * calls) / 100) };
  if (tools === undefined) return {};
  const type = tools.types[tool % tools.types.length] ?? "";
  const known = priceOfTool(name, type, deployment.price);
  if (known.kind !== "priced" || known.unit === null) return {};
  const count = Math.floor((tools.maxCalls * known.unitsPerCall * calls) / 100);
  if (known.unit !== "webSearches") return { [known.unit]: count };
  // OpenAI's chat responses don't count searches, and Perplexity bills one search per request.
  if (name === "openai" || name === "azure" || (name === "perplexity" && !isResearch)) return {};
  return { webSearches: billsSearchesOnce(deployment.upstreamModel) ? Math.min(count, 1) : count };
}

function deploymentOf(
  card: RateCard,
  provider: string,
  upstreamModel: string,
  { drops, maxInputTokens }: { readonly drops: readonly string[]; readonly maxInputTokens: number | null },
): Deployment {
  const rateCard = card.rules.length === 0 ? null : { ...card };
  const offer = { translation: {}, takesEveryParam: true, supportedParams: new Set(), unsupportedParams: new Set() };
  return {
    provider: { name: provider, outputLimitParam: "max_tokens", translations: {} },
    upstreamModel,
    price: card.base,
    priceVersionId: priceVersionId(`${provider}/${upstreamModel}`, card.base),
    facts: { maxInputTokens, maxOutputTokens: 1_000, maxImageTokens: 0, rateCard },
    offers: { "chat.completions": offer, completions: offer },
    allowedParams: [],
    additionalDropParams: drops,
  } as unknown as Deployment;
}

function callWith({ prompt, ...fields }: Partial<Request>): Call {
  const call =
    prompt === undefined
      ? makeChatCall({ text: JSON.stringify({ messages: [{ role: "user", content: "hello" }], ...fields }) })
      : makeChatCall({ text: JSON.stringify({ prompt, ...fields }), kind: completions as unknown as OperationKind });
  Object.assign(call.exchange, { admittedAtMs: AT_NIGHT });
  return call as unknown as Call;
}
