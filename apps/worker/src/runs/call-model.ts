import {
  type ReadTurn,
  readFailure,
  type TurnDelta,
  type TurnFailure,
  TurnReader,
} from "@tollgate/domain/assistants/read-turn.ts";
import type { ChargedUsage, Json, JsonFields } from "@tollgate/domain/assistants/records.ts";
import type { ModelAnswer, ModelCall, ModelCaller } from "./model-caller.ts";
import { readFrames } from "./read-frames.ts";

export type ModelCallResult =
  | { readonly kind: "answered"; readonly turn: ReadTurn }
  /**
   * The gateway responded with an error. `charged` is what it charged, because it also charges responses that a guardrail
   * blocks, for example; null if only the ledger contains that.
   */
  | { readonly kind: "refused"; readonly failure: TurnFailure; readonly charged: ChargedUsage | null }
  /** No gateway accepted the call, so there is no usage, and the call can be retried. */
  | { readonly kind: "unreached"; readonly failure: TurnFailure }
  /**
   * The response was truncated. Its usage is only in the ledger. `turn` is the part of the response that was received.
   */
  | {
      readonly kind: "broken";
      readonly failure: TurnFailure;
      readonly turn: ReadTurn;
      readonly isGatewayGone: boolean;
    };

// Maximum response size. Responses usually have a few thousand tokens, so a larger response is an error.
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;
/** Error codes after which another gateway, or the same gateway later, may accept the call. */
const MAY_BE_ASKED_AGAIN: ReadonlySet<unknown> = new Set(["shutting_down", "overloaded"]);
/** Statuses of refusals before any model is called. */
const NEVER_CHARGED: ReadonlySet<number> = new Set([401, 402, 403, 404, 405, 413, 415, 421]);
const NOTHING: ChargedUsage = { promptTokens: 0, completionTokens: 0, cost: 0n };
/** Codes of connection errors that prove that no call was made. */
const NEVER_CONNECTED: ReadonlySet<unknown> = new Set(["ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "EHOSTUNREACH"]);
const GONE: TurnFailure = { code: "server_error", message: "The gateway did not respond.", isTooLong: false };
const CUT_SHORT: TurnFailure = { code: "server_error", message: "The response was cut off.", isTooLong: false };

interface Listening {
  /** Called when the gateway starts its response. */
  onHead(): void | Promise<void>;
  /** Called for each delta of a streamed response. */
  onDelta(delta: TurnDelta): void | Promise<void>;
}

/** Makes one call and reads its response, with or without streaming. */
export async function callModel(models: ModelCaller, call: ModelCall, listening: Listening): Promise<ModelCallResult> {
  const reader = new TurnReader();
  const broken = (failure: TurnFailure, isGatewayGone: boolean): ModelCallResult => ({
    kind: "broken",
    failure,
    turn: reader.read(),
    isGatewayGone,
  });
  let answer: ModelAnswer;
  try {
    answer = await models.call(call);
  } catch (error) {
    const isUnreached = NEVER_CONNECTED.has((error as NodeJS.ErrnoException).code);
    return isUnreached ? { kind: "unreached", failure: GONE } : broken(GONE, true);
  }
  try {
    await listening.onHead();
    if (answer.status !== 200) return readRefusal(answer, await readWhole(answer));
    if (!(answer.headers["content-type"] ?? "").startsWith("text/event-stream")) {
      reader.add((await readWhole(answer)) as JsonFields);
      // The header contains the usage that the call is charged for, and its cost. The body contains the upstream's usage
      // report, which may be implausible. In a stream, the gateway's own report is the last one.
      const charged = answer.headers["x-gw-usage"];
      if (charged !== undefined) reader.add({ usage: JSON.parse(charged) as Json });
      return { kind: "answered", turn: reader.read() };
    }
    for await (const frame of readFrames(answer.body)) {
      if (frame === "[DONE]") return { kind: "answered", turn: reader.read() };
      const chunk = JSON.parse(frame) as JsonFields;
      if (chunk.error !== undefined) return broken(readFailure(answer.status, chunk), false);
      for (const delta of reader.add(chunk)) await listening.onDelta(delta);
    }
    return broken(CUT_SHORT, true);
  } catch {
    return broken(CUT_SHORT, true);
  }
}

function readRefusal({ status, headers }: ModelAnswer, body: Json): ModelCallResult {
  const failure = readFailure(status, body);
  const code = ((body as JsonFields | null)?.error as JsonFields | undefined)?.code;
  if (status === 503 && MAY_BE_ASKED_AGAIN.has(code)) return { kind: "unreached", failure };
  const reported = headers["x-gw-usage"];
  if (reported === undefined) return { kind: "refused", failure, charged: NEVER_CHARGED.has(status) ? NOTHING : null };
  const reader = new TurnReader();
  reader.add({ usage: JSON.parse(reported) as Json });
  const { usage, cost } = reader.read();
  return { kind: "refused", failure, charged: usage && { ...usage, cost } };
}

async function readWhole({ status, body }: ModelAnswer): Promise<Json> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of body) {
    size += part.length;
    if (size > MAX_ANSWER_BYTES) throw new Error("the response exceeds the size limit");
    parts.push(part);
  }
  try {
    return JSON.parse(Buffer.concat(parts).toString("utf8")) as Json;
  } catch (error) {
    // A proxy in front of the gateway may refuse the call with a body that isn't JSON.
    if (status === 200) throw error;
    return null;
  }
}
