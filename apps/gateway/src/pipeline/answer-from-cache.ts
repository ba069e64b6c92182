import { NO_USAGE } from "@tollgate/domain/pricing/usage.ts";
import { clientDisconnected } from "../edge/client-disconnected.ts";
import type { Deployment } from "../model-list/deployment.ts";
import type { AccountingContext } from "./account/accounting.ts";
import { CallAccount } from "./account/call-account.ts";
import { pricedAs } from "./account/priced-as.ts";
import { reserveRateLimits } from "./account/reserve-rate-limits.ts";
import type { CachedAnswer } from "./answer/answer-cache.ts";
import { replayLines } from "./answer/answer-lines.ts";
import { TextCollector } from "./answer/text-collector.ts";
import type { Call } from "./call.ts";
import { closeAndWait, usageNotRecorded } from "./relay-answer.ts";
import { STREAM_LINES } from "./relay-stream.ts";

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
  call.lastByteAtMs = accounting.now();
  const firstTokenMs = call.lastByteAtMs - call.exchange.startedAtMs;
  await closeAndWait(account, { status: "success", failure: null, usage: NO_USAGE, firstTokenMs });
  keepContent(account, answer);
  const { contentType, text } = answer;
  // From now on, retries with the same Idempotency-Key get this response.
  await call.claim?.keep({ status: 200, contentType, text });
  send(account, answer);
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

function send(account: CallAccount, { text, contentType }: CachedAnswer): void {
  const { exchange, model, isStream, cacheEntry, guards } = account.call;
  if (exchange.hasLeft) return;
  let lines = `${replayLines(exchange, model)}x-gw-model-id: ${account.deployment.headerId}\r\n`;
  if (guards !== null) lines += `x-gw-applied-guardrails: ${guards.names.join(",")}\r\n`;
  lines += (cacheEntry?.hitLines ?? "") + account.limitLines();
  if (!isStream) return exchange.response.sendWhole(`content-type: ${contentType}\r\n${lines}`, text);
  exchange.response.beginStream(STREAM_LINES + lines);
  exchange.response.endText(text);
}
