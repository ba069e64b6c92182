import { Failure } from "@tollgate/contracts/failures.ts";
import type { ModerationRequest } from "@tollgate/contracts/moderations/moderation-request.ts";
import { scanJsonBytes } from "@tollgate/domain/json-bytes.ts";
import { NO_USAGE } from "@tollgate/domain/pricing/usage.ts";
import type { CallAccount } from "../accounting/call-account.ts";
import { usageOf } from "../accounting/usage-of.ts";
import { Call } from "../call/call.ts";
import type { CallBody } from "../call/call-body.ts";
import type { Caller } from "../call/caller.ts";
import { Exchange } from "../call/exchange.ts";
import type { OperationKind } from "../call/operation-kind.ts";
import type { ReadAnswer } from "../call/provider.ts";
import type { UpstreamAnswer } from "../call/upstream-answer.ts";
import type { Moderated } from "../guardrails/moderation-check.ts";
import type { ModelLookup } from "../models/model-lookup.ts";
import { moderations } from "../operations/moderations/moderations.ts";
import { chooseFirst } from "./choose-target.ts";
import { openAccount } from "./open-account.ts";
import { NO_REQUESTED_TIMEOUTS } from "./read-call.ts";
import { retryOrFallBack, type TryContext } from "./retry-or-fall-back.ts";

interface ModerationContext extends TryContext {
  readonly models: () => ModelLookup;
  readonly newEventId: () => string;
}

const noLimits = { rpm: null, tpm: null, maxParallel: null, modelRpm: {}, modelTpm: {} };

/**
 * Calls a model to moderate a call's text. This is a separate call in the ledger, under the same request ID, with its
 * own hold, charge, and record. The operator requires it, so it doesn't count toward the caller's rate limits and needs
 * no permission for the model.
 */
export async function moderateTexts(
  context: ModerationContext,
  outer: Call,
  model: string,
  texts: readonly string[],
): Promise<readonly Moderated[]> {
  const { call, target } = chooseModerator(context, outer, model, texts);
  // A caller without enough credit is refused as for any other call. The guardrail handles all other failures.
  const account = await openAccount(context.accounting, call, target);
  const read = await ask(context, account, outer);
  return readResults(read.text, texts.length);
}

function chooseModerator(context: ModerationContext, outer: Call, model: string, texts: readonly string[]) {
  try {
    const call = moderationCall(context, outer, model, texts);
    return { call, target: chooseFirst(call, context.route()) };
  } catch (error) {
    throw new Error("no moderation model is available", { cause: error });
  }
}

/** Moderates for an outer call, whose cost to a run includes that of the moderation. */
async function ask(context: ModerationContext, account: CallAccount, outer: Call): Promise<ReadAnswer> {
  const { call } = account;
  let answer: UpstreamAnswer;
  try {
    answer = await context
      .callUpstream(call, account.deployment)
      .catch((error) => retryOrFallBack(context, account, error));
  } catch (error) {
    outer.exchange.besideCost += account.close(
      { status: "failure", failure: error instanceof Failure ? error : null, usage: NO_USAGE, firstTokenMs: null },
      null,
    );
    throw new Error("the moderation model did not respond", { cause: error });
  }
  const read = answer.whole as ReadAnswer;
  const usage = usageOf(account, read.usage, read, null);
  const firstTokenMs = answer.answeredAtMs - call.exchange.startedAtMs;
  outer.exchange.besideCost += account.close({ status: "success", failure: null, usage, firstTokenMs }, null);
  return read;
}

function moderationCall(context: ModerationContext, outer: Call, model: string, texts: readonly string[]): Call {
  const { exchange, caller } = outer;
  const { request, response, headers, lastKey } = exchange;
  const own = new Exchange(request, response, headers, null, context.accounting.now(), context.newEventId(), lastKey);
  own.callId = exchange.callId;
  const payer: Caller = { ...caller, limits: { key: noLimits, team: noLimits, organization: noLimits } };
  const chosen = context.models().findConfigured(caller, model);
  return new Call(own, payer, moderations as OperationKind, chosen, bodyOf(model, texts), NO_REQUESTED_TIMEOUTS);
}

function bodyOf(model: string, input: readonly string[]): CallBody<ModerationRequest> {
  const bytes = Buffer.from(JSON.stringify({ model, input }), "utf8");
  const scan = scanJsonBytes(bytes, null);
  if (scan.kind === "refused") throw new Error(scan.reason);
  const request = JSON.parse(scan.text) as ModerationRequest;
  return {
    bytes,
    members: scan.members,
    mustRebuild: false,
    request,
    dropped: new Set(),
    extraHeaders: [],
    file: null,
  };
}

/** Returns one result per string. Throws if the response is incomplete or invalid. */
function readResults(text: string, count: number): readonly Moderated[] {
  const { results } = JSON.parse(Buffer.from(text, "latin1").toString("utf8")) as { results?: unknown };
  if (!Array.isArray(results) || results.length !== count)
    throw new Error("the moderation returned an unexpected number of results");
  return results.map((result: Partial<Moderated>) => {
    if (typeof result.flagged !== "boolean") throw new Error("the moderation returned an invalid result");
    return { flagged: result.flagged, categories: result.categories ?? {} };
  });
}
