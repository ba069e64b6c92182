import { createHash, createHmac } from "node:crypto";
import { Failure } from "@tollgate/contracts/failures.ts";
import { NO_USAGE } from "@tollgate/domain/pricing/usage.ts";
import type { Secret } from "@tollgate/domain/secret.ts";
import type { AccountingContext } from "../accounting/accounting.ts";
import { CallAccount } from "../accounting/call-account.ts";
import { pricedAs } from "../accounting/record-usage.ts";
import { TextCollector } from "../accounting/stream-output.ts";
import type { CachedAnswer } from "../call/cache-entry.ts";
import { type Call, inStage } from "../call/call.ts";
import { readableRequest } from "../call/call-body.ts";
import { clientDisconnected } from "../call/client-disconnected.ts";
import type { Deployment } from "../call/deployment.ts";
import type {
  IdempotencyClaims,
  IdempotencyOutcome,
  IdempotencyRequest,
  ReplayedResponse,
} from "../call/idempotency-claims.ts";
import { ownerOf } from "../call/owner-of.ts";
import { describeFile, digestOf } from "../wire/digest-request.ts";
import { STREAM_LINES } from "./end-stream.ts";
import { reserveRateLimits } from "./open-account.ts";
import { closeAndWait, replayLines, usageNotRecorded } from "./relay-answer.ts";

const PARAM = "Idempotency-Key";
/** Printable ASCII, as allowed in a header. */
const goodKey = /^[\x20-\x7e]{1,255}$/;

/** Replays the response to the first call with this Idempotency-Key. Returns false if this call is the first. */
export async function replayResponse(
  accounting: AccountingContext,
  repeats: IdempotencyClaims | null,
  call: Call,
  key: string,
): Promise<boolean> {
  if (!goodKey.test(key)) {
    throw new Failure("invalid_request", "Idempotency-Key must have 1 to 255 printable characters.", { param: PARAM });
  }
  if (call.isStream) {
    throw new Failure("invalid_request", "Idempotency-Key is not supported for streaming requests.", {
      param: PARAM,
      fix: "Remove 'stream' or the header.",
    });
  }
  if (repeats === null) {
    throw new Failure("invalid_request", "Idempotency-Key is not available on this server.", {
      param: PARAM,
      fix: "Remove the header, or ask the operator to configure a database and TOLLGATE_SECRET_KEY.",
    });
  }
  const outcome = await claimOrWait(accounting, repeats, call, await describeCall(call, key));
  if (outcome.kind === "answered") {
    await countRequest(accounting, call);
    sendReplay(call, outcome.answer);
    accounting.observer?.callRepeated(call);
    return true;
  }
  if (outcome.kind !== "first") throw refusalOf(outcome.kind);
  inStage(call, "checked").claim = outcome.claim;
  // Retries get this response, so it is produced even if the client disconnects.
  if (call.exchange.isGone) throw clientDisconnected();
  call.exchange.outlivesClient = true;
  return false;
}

/**
 * Describes the call, so that it can be compared with the first call. The versioned and unversioned paths count as the
 * same operation.
 */
export async function describeCall(call: Call, key: string): Promise<IdempotencyRequest> {
  const { body, caller, exchange, model, ownKey } = call;
  const file = body.file === null ? null : await describeFile(body.file);
  const named = exchange.pathModel === null ? null : model.shownName;
  return {
    owner: ownerOf(caller),
    organizationId: caller.organizationId,
    operation: call.operation,
    keyDigest: createHash("sha256").update(key, "latin1").digest(),
    bodyDigest: digestOf([readableRequest(body), named, file, ...(ownKey === null ? [] : [hashOwnKey(ownKey, key)])]),
  };
}

/**
 * Returns a value that stands for a caller's own provider API key. A response that one key paid for must not be replayed
 * for another. It is different for each Idempotency-Key, so that what is stored doesn't show which requests share a key.
 */
function hashOwnKey(ownKey: Secret, idempotencyKey: string): string {
  return createHmac("sha256", ownKey.reveal()).update(idempotencyKey, "latin1").digest("hex");
}

async function claimOrWait(
  accounting: AccountingContext,
  repeats: IdempotencyClaims,
  call: Call,
  request: IdempotencyRequest,
): Promise<IdempotencyOutcome> {
  const patience = new AbortController();
  const { router } = accounting.settings();
  const limitMs = Math.min(call.asked.timeoutMs ?? Number.POSITIVE_INFINITY, router.totalTimeoutSeconds * 1_000);
  const timer = setTimeout(() => patience.abort(), limitMs);
  call.exchange.worker = { clientGone: () => patience.abort() };
  try {
    return await repeats.claim(request, patience.signal);
  } finally {
    clearTimeout(timer);
    call.exchange.worker = null;
  }
}

/** Counts a replay toward the request rate limits, although it costs nothing. */
async function countRequest(accounting: AccountingContext, call: Call): Promise<void> {
  const taken = await reserveRateLimits(accounting, call, 0);
  if (taken !== null) accounting.limits.finish(taken, 0);
}

function sendReplay({ exchange, model }: Call, { status, contentType, text }: ReplayedResponse): void {
  if (exchange.isGone) return;
  const lines = `content-type: ${contentType}\r\nidempotent-replayed: true\r\n${replayLines(exchange, model)}`;
  exchange.response.sendWhole(lines, text, `HTTP/1.1 ${status} OK\r\n`);
}

function refusalOf(kind: Exclude<IdempotencyOutcome["kind"], "first" | "answered">): Failure {
  const facts = { param: PARAM };
  switch (kind) {
    case "other_body":
      return new Failure("conflict", "This Idempotency-Key was already used with a different request body.", {
        ...facts,
        fix: "Use a new key for each new request.",
      });
    case "running":
      return new Failure("timeout", "The first request with this Idempotency-Key did not finish in time.", {
        ...facts,
        fix: "Retry with the same key. The retry keeps waiting, and the request is charged once.",
      });
    case "too_long":
      return new Failure(
        "idempotency_outcome_unknown",
        "The first request with this Idempotency-Key succeeded and was charged, but its response was too long to store.",
        { ...facts, fix: "To send the request again and pay for it again, use a new key." },
      );
    default:
      return new Failure(
        "idempotency_outcome_unknown",
        "The first request with this Idempotency-Key was interrupted. Its outcome is unknown, and the request may have been charged.",
        { ...facts, fix: "To send the request again, use a new key." },
      );
  }
}

/**
 * Sends a cached response if there is one, and reports whether it did. A hit costs nothing and uses no tokens, but it
 * counts as a request and is recorded like any other call.
 */
export async function answerFromCache(
  accounting: AccountingContext,
  call: Call,
  found: Promise<CachedAnswer | null>,
): Promise<boolean> {
  const answer = await found;
  // A cached response is not served if its deployment was removed or no longer has a price.
  const deployment = call.model.targets.find(({ id }) => id === answer?.deploymentId);
  const isHit = answer !== null && deployment !== undefined && (await isPriced(accounting, call, deployment));
  accounting.observer?.cacheAsked(call, isHit);
  if (!isHit) return false;
  const account = await openFree(accounting, call, deployment);
  inStage(call, "sent").lastByteAtMs = accounting.now();
  const firstTokenMs = call.lastByteAtMs - call.exchange.startedAtMs;
  await closeAndWait(account, { status: "success", failure: null, usage: NO_USAGE, firstTokenMs });
  keepContent(account, answer);
  const { contentType, text } = answer;
  // From now on, retries with the same Idempotency-Key get this response.
  await call.claim?.keep({ status: 200, contentType, text });
  sendCached(account, answer);
  return true;
}

async function isPriced(accounting: AccountingContext, call: Call, deployment: Deployment): Promise<boolean> {
  const priced = pricedAs(call, deployment);
  if (priced.price === null) return accounting.settings().billing.provider === "off";
  await accounting.prices.ensure(deployment, priced);
  return true;
}

/** Opens an account without a hold. */
async function openFree(accounting: AccountingContext, call: Call, deployment: Deployment): Promise<CallAccount> {
  if (!accounting.journal.canAdmit) throw usageNotRecorded();
  if (call.exchange.isGone) throw clientDisconnected();
  const taken = await reserveRateLimits(accounting, call, 0);
  return new CallAccount(accounting, call, deployment, null, null).begin(taken);
}

function keepContent(account: CallAccount, { text }: CachedAnswer): void {
  if (!account.keepsContent) return;
  if (!account.call.isStream) return account.keepContent(text);
  const said = new TextCollector(account.call.kind.findTexts);
  said.add(text);
  account.keepContent(said.text);
}

function sendCached(account: CallAccount, { text, contentType }: CachedAnswer): void {
  const { exchange, model, isStream, cacheEntry, guards } = account.call;
  if (exchange.hasLeft) return;
  let lines = `${replayLines(exchange, model)}x-gw-model-id: ${account.deployment.headerId}\r\n`;
  if (guards !== null) lines += `x-gw-applied-guardrails: ${guards.names.join(",")}\r\n`;
  lines += (cacheEntry?.hitLines ?? "") + account.limitLines();
  if (!isStream) return exchange.response.sendWhole(`content-type: ${contentType}\r\n${lines}`, text);
  exchange.response.beginStream(STREAM_LINES + lines);
  exchange.response.endText(text);
}
