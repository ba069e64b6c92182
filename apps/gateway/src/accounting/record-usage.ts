import type { Catalog } from "@tollgate/catalog/catalog.ts";
import { priceOfModel } from "@tollgate/catalog/price-of-model.ts";
import { Failure } from "@tollgate/contracts/failures.ts";
import type { NanoUsd } from "@tollgate/domain/money.ts";
import { type Price, priceCall } from "@tollgate/domain/pricing/price-call.ts";
import { soldVersion } from "@tollgate/domain/pricing/price-version.ts";
import { unconditional } from "@tollgate/domain/pricing/rate-card.ts";
import type { Usage } from "@tollgate/domain/pricing/usage.ts";
import { encodeTarget } from "@tollgate/journal/record-blocks.ts";
import type { Logger } from "@tollgate/runtime/logger.ts";
import type { Call } from "../call/call.ts";
import type { Deployment, Priced } from "../call/deployment.ts";
import type { Exchange } from "../call/exchange.ts";
import { providerNameOf } from "../models/describe-model.ts";
import { factsOfModel } from "../models/model-facts.ts";
import { adjustAll } from "../models/sold-prices.ts";
import { conditionalPrices, requestedPrice } from "./conditional-price.ts";

/** The limit that ended a read after the client had disconnected and before the upstream reported its usage. */
export type ReadLimit = "timeout" | "size" | "credit" | "capacity" | "drain";

/** The result of a call. */
export interface CallOutcome {
  readonly status: "success" | "failure" | "client_disconnect";
  readonly failure: Failure | null;
  readonly usage: Usage;
  /** Null if no part of the response was received. */
  readonly firstTokenMs: number | null;
  /** The limit that ended a read after the client disconnected, before the usage was known. */
  readonly endedBy?: ReadLimit | null;
}

/** A finished call, for display. */
export interface CallRecord {
  readonly eventId: string;
  readonly callId: string;
  /** Unix time in milliseconds. */
  readonly endedAtMs: number;
  readonly durationMs: number;
  readonly status: "success" | "failure" | "client_disconnect";
  readonly statusCode: number;
  readonly errorCode: string | null;
  readonly modelGroup: string;
  readonly deploymentId: string | null;
  readonly provider: string | null;
  readonly keyId: string;
  readonly keyName: string;
  readonly teamId: string | null;
  readonly organizationId: string | null;
  readonly usage: Usage;
  readonly cost: NanoUsd;
  readonly isStream: boolean;
}

/** Receives the record of every call that reached the pipeline. */
export type UsageRecorder = (record: CallRecord) => void;

/** Creates the display record of a finished call. */
export function recordOf(
  call: Call,
  deployment: Deployment,
  outcome: CallOutcome,
  cost: NanoUsd,
  endedAtMs: number,
  durationMs: number,
): CallRecord {
  const { exchange, caller, model } = call;
  const { status, failure, usage } = outcome;
  return {
    eventId: exchange.eventId,
    callId: exchange.callId,
    endedAtMs,
    durationMs,
    status,
    statusCode: statusCodeOf(status, failure?.status ?? null),
    errorCode: errorCodeOf(outcome),
    modelGroup: model.name,
    deploymentId: deployment.id,
    provider: providerNameOf(deployment),
    keyId: caller.keyId,
    keyName: caller.keyName,
    teamId: caller.teamId,
    organizationId: caller.organizationId,
    usage,
    cost,
    isStream: call.isStream,
  };
}

/**
 * Returns the error code to record, from the failure or from the limit that stopped the read after a client disconnect.
 */
export function errorCodeOf({ failure, endedBy }: CallOutcome): string | null {
  if (failure !== null) return failure.code;
  return endedBy == null ? null : `disconnect_${endedBy}`;
}

/** Returns the HTTP status to record. 499 means that the client disconnected. */
export function statusCodeOf(status: CallOutcome["status"], failed: number | null): number {
  if (failed !== null) return failed;
  if (status === "success") return 200;
  return status === "client_disconnect" ? 499 : 500;
}

/** Returns the outcome of a call with a complete response: success, unless the client disconnected first. */
export function deliveredAs({ isGone, earlyFailure }: Exchange): Pick<CallOutcome, "status" | "failure"> {
  if (earlyFailure !== null) return { status: "failure", failure: earlyFailure };
  return { status: isGone ? "client_disconnect" : "success", failure: null };
}

/**
 * Maximum journaled length of a model name. Clients can send any name that matches a pattern, so longer names are
 * truncated.
 */
const MAX_NAME = 200;

interface Known {
  readonly endpoint: string;
  readonly priceVersionId: string | null;
  readonly groupName: string;
  readonly block: Uint8Array;
}

const known = new WeakMap<Deployment, Known>();

/**
 * Encodes the target of a call for the journal. The result is cached, because a deployment mostly serves one group and
 * one operation.
 */
export function journalTarget(
  endpoint: string,
  groupName: string,
  deployment: Deployment,
  { priceVersionId }: Priced = deployment,
): Uint8Array {
  const last = known.get(deployment);
  if (
    last !== undefined &&
    last.groupName === groupName &&
    last.endpoint === endpoint &&
    last.priceVersionId === priceVersionId
  ) {
    return last.block;
  }
  const block = encodeTarget({
    endpoint,
    modelGroup: groupName.slice(0, MAX_NAME),
    deploymentId: deployment.id.slice(0, MAX_NAME),
    provider: providerNameOf(deployment).slice(0, MAX_NAME),
    priceVersionId,
  });
  known.set(deployment, { endpoint, groupName, priceVersionId, block });
  return block;
}

const UNPRICED: Priced = { price: null, priceVersionId: null, cost: null };

/** Returns the price of a call on a deployment. Some operations price certain requests separately. */
export function pricedAs(call: Call, deployment: Deployment): Priced {
  if (call.kind.writesText === true && isPricedByUnit(deployment)) return UNPRICED;
  return conditionalPrices(call, deployment)?.requested ?? call.kind.pricedAs?.(call, deployment) ?? deployment;
}

/** Returns the price of a call whose prompt has this size, if the provider serves what the request asks for. */
export function pricedForInput(call: Call, deployment: Deployment, inputTokens: number): Priced {
  const priced = pricedAs(call, deployment);
  const conditional = conditionalPrices(call, deployment);
  if (priced.price === null || conditional === null) return priced;
  return requestedPrice(conditional, deployment, inputTokens, call.exchange.admittedAtMs);
}

/**
 * Reports whether a model is priced only by images, characters, or seconds. Responses of text operations don't count
 * these, so what the model returns there would be free.
 */
function isPricedByUnit({ price }: Deployment): boolean {
  if (price === null || price.output !== 0n) return false;
  const { perImage, perCharacter, perSecond } = price;
  return [perImage, perCharacter, perSecond].some((each) => each !== null && each > 0n);
}

/** Returns the price that the hold of a call must cover: the highest one that can apply to the request. */
export function holdPriceOf(call: Call, deployment: Deployment): Price | null {
  return conditionalPrices(call, deployment)?.maximum ?? pricedAs(call, deployment).price;
}

/** Returns the cost of a call at a price; 0 if the deployment is unpriced. */
export function costOf({ price }: Priced, usage: Usage): NanoUsd {
  return price === null ? 0n : priceCall(usage, price);
}

/** Creates the refusal for a call that can't be charged because its model has no price. */
export function priceMissing({ model }: Call): Failure {
  if (model.targets.some(({ facts }) => facts.isPriceRefused)) {
    return new Failure("price_missing", `The price of model '${model.shownName}' is disputed and not confirmed.`, {
      fix: "An operator can confirm it with `tollgate prices confirm`, or set prices on the deployment.",
    });
  }
  return new Failure("price_missing", `No price is configured for model '${model.shownName}'.`, {
    fix: "Set input_cost_per_token and output_cost_per_token on the deployment, or set them to 0 to make the model free.",
  });
}

/** Makes sure that the ledger has a price before a call uses it. */
export interface PriceBook {
  ensure(deployment: Deployment, priced: Priced): true | Promise<void>;
  /** Registers a price as soon as the ledger is reachable, for a call that is already charged at this price. */
  ensureLater(deployment: Deployment, priced: Priced): void;
}

/** Dependencies for pricing a model other than the requested one. */
export interface ServedModelContext {
  readonly catalog: Catalog;
  readonly prices: PriceBook;
  /** Called when a response names a model other than the one that was priced. */
  readonly onOtherModel: (deployment: Deployment, name: string, isPriced: boolean) => void;
}

/** Prices a call by the model that its response names, if the catalog has that model. */
export async function chargeServedModel(
  context: ServedModelContext,
  account: { serveAs(priced: Priced): void },
  deployment: Deployment,
  name: string,
): Promise<void> {
  const served = servedModel(deployment, name, context.catalog);
  if (served === null) return;
  context.onOtherModel(deployment, name, served.priced !== null);
  if (served.priced === null) return;
  account.serveAs(served.priced);
  try {
    await context.prices.ensure(deployment, served.priced);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    // The response has already been produced, so the call is charged anyway. The ledger parks the usage event until it
    // has the price.
    context.prices.ensureLater(deployment, served.priced);
  }
}

const REPORT_EVERY_MS = 3_600_000;
const MAX_REPORTED = 10_000;

/** Logs responses that name a model other than the one that was priced, once per deployment and hour. */
export function createOtherModelReport(logger: Pick<Logger, "info" | "warn">, now: () => number) {
  const reportedAtMs = new Map<string, number>();
  return ({ id, upstreamModel }: Deployment, name: string, isPriced: boolean): void => {
    const nowMs = now();
    const key = `${id} ${isPriced}`;
    if (nowMs - (reportedAtMs.get(key) ?? Number.NEGATIVE_INFINITY) < REPORT_EVERY_MS) return;
    if (reportedAtMs.size >= MAX_REPORTED) reportedAtMs.clear();
    reportedAtMs.set(key, nowMs);
    const fields = { id, requestedModel: upstreamModel, servedModel: name };
    if (isPriced) logger.warn("upstream served a different model than requested", fields);
    else logger.info("upstream reported a model that is not in the catalog", fields);
  };
}

/**
 * Matches the model name in a response. Quotes inside JSON strings are escaped, so text that the model wrote can't
 * match. Google's field comes after the tool arguments, which are plain JSON and may contain a `model` member.
 */
const MODEL = /(?<!\\)"model"\s*:\s*"([^"\\]{1,200})"/;
const GOOGLE_MODEL = /(?<!\\)"modelVersion"\s*:\s*"([^"\\]{1,200})"/;
/** Suffixes that providers add for a snapshot of the same model: a date, a revision number, or "latest". */
const SNAPSHOT = /[-@](?:\d{4}-?\d{2}-?\d{2}|\d{4}|\d{3}|latest)$/;
/**
 * Maximum number of cached names. Without a maximum, a hostile upstream could fill the cache by sending a new name with
 * every response.
 */
const MAX_REMEMBERED = 256;

/** The price of the model that a response names. */
interface ServedModel {
  /** Null if the catalog has no price for this name. */
  readonly priced: Priced | null;
}

/**
 * Returns the model that a response names, or null if that is the requested model. Aggregators may serve a different
 * model and bill for it. `text` is a whole response, or the beginning of a stream.
 */
export function otherModelIn(
  text: string,
  { upstreamModel, prepared, provider, usesOwnKey }: Deployment,
): string | null {
  const at = text.indexOf('"model"');
  // This code runs for every call, and nearly every response repeats the requested name, so that case is checked first.
  if (at >= 0 && text.startsWith(prepared.modelJson, at + '"model":'.length)) return null;
  // The provider bills the caller's own account, for any model.
  if (usesOwnKey) return null;
  const isGoogle = provider.name === "gemini" || provider.name === "vertex_ai";
  const named = (isGoogle ? GOOGLE_MODEL : MODEL).exec(text)?.[1];
  return named === undefined || named === upstreamModel ? null : named;
}

const remembered = new WeakMap<Deployment, Map<string, ServedModel | null>>();

/** Returns the price of the named model, or null if the name is another name for the requested model. */
export function servedModel(deployment: Deployment, name: string, catalog: Catalog): ServedModel | null {
  const known = remembered.get(deployment) ?? new Map<string, ServedModel | null>();
  remembered.set(deployment, known);
  const found = known.get(name);
  if (found !== undefined) return found;
  const served = isSameModel(deployment, name, catalog) ? null : priceOf(deployment, name, catalog);
  if (known.size < MAX_REMEMBERED) known.set(name, served);
  return served;
}

function isSameModel(deployment: Deployment, name: string, catalog: Catalog): boolean {
  const { upstreamModel, provider } = deployment;
  // Operators choose the model names on their own servers and the names of Azure deployments, so a different name
  // doesn't indicate a different model.
  if (provider.defaultApiBase === null || provider.defaultApiBase.startsWith("http:")) return true;
  if (familyOf(upstreamModel) === familyOf(name)) return true;
  const [one, other] = [upstreamModel, name].map((model) => catalog.find([`${provider.name}/${model}`, model]));
  return one !== undefined && one.id === other?.id;
}

function priceOf(deployment: Deployment, name: string, catalog: Catalog): ServedModel {
  const model = `${deployment.provider.name}/${name}`;
  // A name with a vendor, as used by aggregators, refers to that vendor's model. A name without a vendor refers to the
  // provider's own model.
  const price = name.includes("/") ? factsOfModel([model, name], catalog).price : ownPriceOf(model, catalog);
  if (price === null) return { priced: null };
  const sold = adjustAll(price, deployment.selling?.adjustments ?? []);
  return {
    priced: { price: sold, ...soldVersion(model, unconditional(sold), unconditional(price)), pricedModel: model },
  };
}

function ownPriceOf(model: string, catalog: Catalog): Priced["price"] {
  const entry = catalog.find([model]);
  return entry === undefined ? null : priceOfModel(entry);
}

/** Returns a model's name without its vendor and snapshot suffix. */
function familyOf(model: string): string {
  return model
    .slice(model.lastIndexOf("/") + 1)
    .toLowerCase()
    .replace(SNAPSHOT, "");
}
