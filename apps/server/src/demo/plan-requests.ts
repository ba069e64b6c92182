import { makeUuidV7 } from "@tollgate/domain/ids.ts";
import { type Price, priceCall } from "@tollgate/domain/pricing/price-call.ts";
import { NO_USAGE, type Usage } from "@tollgate/domain/pricing/usage.ts";
import { DEMO_DAYS, DEMO_KEYS, type DemoKey } from "./demo-cast.ts";
import { DEMO_MODELS, type DemoModel } from "./demo-models.ts";
import { planRefusal } from "./plan-refusal.ts";
import { planSessions } from "./plan-sessions.ts";
import { planTimes } from "./plan-times.ts";
import type { PlannedCall, PlannedRequest } from "./planned-request.ts";
import { type SeededRandom, seededRandom } from "./seeded-random.ts";

interface DemoPlan {
  readonly seed: number;
  readonly nowMs: number;
  readonly requests: number;
  /** Price of each model, by name. */
  readonly prices: ReadonlyMap<string, Price>;
}

const REFUSED_SHARE = 0.055;
const CANCELED_SHARE = 0.013;
/** Requests that the provider rejected, such as prompts that are too long. */
const REJECTED_UPSTREAM_SHARE = 0.008;
/** The key whose budget is exhausted is refused in the last days. */
const EXHAUSTED_ON_DAY = 1.5;
/** Share of the failures of a model with a fallback that the fallback turns into a success. */
const RESCUED_SHARE = 0.75;

/** Times in which a provider fails, as parts of all requests, so that they are at the same requests on every start. */
const OUTAGES = [
  { provider: "groq", from: 0.3, to: 0.311, failureShare: 0.85 },
  { provider: "openai", from: 0.82, to: 0.829, failureShare: 0.6 },
] as const;

const FAILURES = [
  { httpStatus: 503, errorCode: "service_unavailable" },
  { httpStatus: 502, errorCode: "bad_gateway" },
  { httpStatus: 408, errorCode: "timeout" },
  { httpStatus: 429, errorCode: "upstream_rate_limit" },
] as const;
const FAILURE_WEIGHTS = [5, 2, 2, 3];

/**
 * Plans the requests of the demo, oldest first. Everything but the times follows from the seed alone, so two starts
 * have the same figures whenever they happen. The times follow the hours and weekdays before `nowMs`.
 */
export function planRequests({ seed, nowMs, requests, prices }: DemoPlan): readonly PlannedRequest[] {
  const times = planTimes(seed, nowMs, requests);
  const planned = times.map((atMs, index) => {
    const random = seededRandom(Math.imul(seed, 31) + index);
    const share = index / requests;
    return planRequest(random, share, atMs, prices);
  });
  return planSessions(seed, nowMs, planned);
}

function planRequest(
  random: SeededRandom,
  share: number,
  atMs: number,
  prices: ReadonlyMap<string, Price>,
): PlannedRequest {
  const id = makeUuidV7(atMs, random.bytes(10));
  const day = dayOf(share);
  // A key is used from the day after its creation, because the weekly rhythm moves requests by less than a day.
  const known = DEMO_KEYS.map(({ traffic, createdOnDay }) =>
    createdOnDay === DEMO_DAYS || day < createdOnDay - 1 ? traffic : 0,
  );
  const key = DEMO_KEYS[random.pick(known)] as DemoKey;
  const isExhausted = key.isCapped === true && day < EXHAUSTED_ON_DAY;
  const model = chooseModel(random, key);
  if (isExhausted || random.next() < REFUSED_SHARE) {
    return planRefusal(random, { id, atMs, key, model, isExhausted });
  }
  return planCall(random, { id, atMs, key, model, share }, prices);
}

/** Returns the day of a request, as a fraction of days before the start, from the growth of the traffic. */
function dayOf(share: number): number {
  // The traffic grows by two thirds: the part before x is 0.75 x + 0.25 x².
  const elapsed = (Math.sqrt(0.5625 + share) - 0.75) / 0.5;
  return DEMO_DAYS * (1 - elapsed);
}

function chooseModel(random: SeededRandom, { models }: DemoKey): DemoModel {
  return DEMO_MODELS[random.pick(DEMO_MODELS.map(({ name }) => models[name] ?? 0))] as DemoModel;
}

interface Begun {
  readonly id: string;
  readonly atMs: number;
  readonly key: DemoKey;
  readonly model: DemoModel;
  readonly share: number;
}

function planCall(random: SeededRandom, begun: Begun, prices: ReadonlyMap<string, Price>): PlannedCall {
  const { id, atMs, key, model: asked, share } = begun;
  const outage = OUTAGES.find(({ provider, from, to }) => provider === asked.provider && share >= from && share < to);
  const isStream = asked.endpoint === "chat.completions" && random.next() < key.streamShare;
  const endUser = key.endUsers === undefined ? null : `user-${random.between(1, key.endUsers)}`;
  const times = {
    gatewayBeforeUs: Math.round(random.around(850, 0.35)),
    queueUs: random.next() < 0.03 ? random.between(200, 9_000) : 0,
    gatewayAfterUs: Math.round(random.around(320, 0.35)),
  };
  const common = { kind: "call" as const, id, atMs, key, isStream, endUser, session: null, ...times };
  const overheadUs = times.gatewayBeforeUs + times.queueUs + times.gatewayAfterUs;

  const hasFailed = random.next() < (outage?.failureShare ?? asked.failureShare);
  const failedUs = hasFailed ? Math.round(random.around(900_000, 0.7)) : 0;
  const fallback = DEMO_MODELS.find(({ name }) => name === asked.fallback);
  const isRescued = hasFailed && fallback !== undefined && random.next() < RESCUED_SHARE;
  if (hasFailed && !isRescued) {
    const failure = FAILURES[random.pick(FAILURE_WEIGHTS)] as (typeof FAILURES)[number];
    return {
      ...common,
      ...failure,
      model: asked,
      fallbackFrom: null,
      status: "failure",
      usage: NO_USAGE,
      cost: 0n,
      attempts: 3,
      latencyMs: toMs(overheadUs + failedUs),
      firstTokenMs: null,
      failedUs,
    };
  }
  const model = isRescued ? fallback : asked;
  const route = { model, fallbackFrom: isRescued ? asked.name : null, attempts: isRescued ? 3 : 1, failedUs };
  if (!isRescued && random.next() < REJECTED_UPSTREAM_SHARE) {
    const latencyMs = toMs(overheadUs + random.around(model.firstTokenMs * 300, 0.3));
    const rejection = { httpStatus: 400, errorCode: "context_length_exceeded" } as const;
    return {
      ...common,
      ...route,
      ...rejection,
      status: "failure",
      usage: NO_USAGE,
      cost: 0n,
      latencyMs,
      firstTokenMs: null,
    };
  }
  const isCanceled = isStream && random.next() < CANCELED_SHARE / key.streamShare;
  const usage = planUsage(random, model, isCanceled ? 0.4 : 1);
  const firstTokenUs = random.around(model.firstTokenMs, 0.3) * 1_000;
  const generationUs =
    model.tokensPerSecond === 0 ? 0 : (usage.outputTokens / model.tokensPerSecond) * random.around(1, 0.12) * 1_000_000;
  const price = prices.get(model.name);
  if (price === undefined) throw new Error(`no price is known for ${model.name}`);
  return {
    ...common,
    ...route,
    status: isCanceled ? "client_disconnect" : "success",
    httpStatus: isCanceled ? 499 : 200,
    errorCode: null,
    usage,
    cost: priceCall(usage, price),
    latencyMs: toMs(overheadUs + failedUs + firstTokenUs + generationUs),
    firstTokenMs: isStream ? toMs(times.gatewayBeforeUs + times.queueUs + failedUs + firstTokenUs) : null,
  };
}

function planUsage(random: SeededRandom, model: DemoModel, outputShare: number): Usage {
  const prompt = Math.max(8, Math.round(random.around(model.inputTokens, 0.6)));
  const cacheReadTokens = random.next() < model.cachedShare ? Math.round(prompt * (0.4 + 0.45 * random.next())) : 0;
  const outputTokens = model.outputTokens === 0 ? 0 : Math.max(1, Math.round(random.around(model.outputTokens, 0.55)));
  const isReasoning = random.next() < model.reasoningShare;
  const written = Math.max(outputTokens === 0 ? 0 : 1, Math.round(outputTokens * outputShare));
  return {
    ...NO_USAGE,
    inputTokens: prompt - cacheReadTokens,
    cacheReadTokens,
    outputTokens: written,
    reasoningTokens: isReasoning ? Math.floor(written * (0.3 + 0.3 * random.next())) : 0,
  };
}

const toMs = (microseconds: number): number => Math.max(1, Math.round(microseconds / 1_000));
