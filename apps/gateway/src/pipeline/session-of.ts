import { findTexts } from "@tollgate/domain/json-bytes.ts";
import { sessionNumber } from "@tollgate/domain/routing/session-pins.ts";
import type { Call } from "../call/call.ts";
import type { CallBody } from "../call/call-body.ts";
import { namedSession } from "../call/client-ids.ts";

/**
 * Minimum size of a request without a session ID that is treated as part of a session. Providers cache prompts of at
 * least 1,024 tokens, so shorter ones gain nothing.
 */
const MIN_CACHED_BYTES = 4_096;
/** Maximum number of messages, and of texts in them, that are read to recognize a session. */
const MAX_TURNS = 8;
const MAX_TEXTS = 32;
/** Number of bytes that are read at each end of a text. */
const END_BYTES = 256;

const FNV_OFFSET = 0x811c9dc5;
const FNV_PRIME = 0x01000193;
const MIX_FACTOR = 0x9e3779b1;

type SessionCall = Pick<Call, "kind" | "model" | "caller" | "exchange" | "body" | "bodyBytes">;
type Turns = readonly { readonly role?: unknown }[];

/**
 * Returns a number that identifies the session of a call, or 0 if the call belongs to no session that matters. A session
 * is named by `prompt_cache_key` or by a header. Otherwise, a long request is recognized by its beginning up to the
 * first user message, which all turns of a conversation share. Different conversations rarely have the same number. If
 * they do, they only share a deployment.
 */
export function sessionOf({ kind, model, caller, exchange, body, bodyBytes }: SessionCall): number {
  if (kind.writesText !== true || model.targets.length < 2) return 0;
  const name = namedSession(body.request, exchange.headers);
  if (name === null && bodyBytes < MIN_CACHED_BYTES) return 0;
  // Callers can't affect each other's sessions.
  const owner = addText(FNV_OFFSET, caller.organizationId ?? caller.keyId);
  const owned = addText(owner, model.name);
  const hash = name === null ? addStart(owned, body) : addText(owned, name);
  return sessionNumber(mix(owner), mix(hash));
}

/** Spreads a hash over its upper bits, which the end of a text changes little. */
function mix(hash: number): number {
  return Math.imul(hash ^ (hash >>> 16), MIX_FACTOR);
}

/** Returns numbers in place of random ones that are the same for a session in every process. */
export function randomOf(session: number): () => number {
  let state = session;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
}

/** Adds the beginning of the prompt. It is read from the bytes, because the texts of chat messages are not parsed. */
function addStart(hash: number, { bytes, members, request }: CallBody): number {
  let sum = hash;
  for (const member of members) {
    switch (member.name) {
      case "system":
      case "instructions":
        sum = addTexts(sum, bytes, findTexts(bytes, member, Number.POSITIVE_INFINITY, MAX_TEXTS));
        break;
      case "messages":
      case "input": {
        const turns = (request as Readonly<Record<string, unknown>>)[member.name];
        const count = Array.isArray(turns) ? countStart(turns as Turns) : 1;
        sum = addTexts(sum, bytes, findTexts(bytes, member, count, MAX_TEXTS));
      }
    }
  }
  return sum;
}

/** Returns the number of messages up to the first one of the user. */
function countStart(turns: Turns): number {
  const most = Math.min(turns.length, MAX_TURNS);
  for (let index = 0; index < most; index += 1) if (turns[index]?.role === "user") return index + 1;
  return most;
}

function addTexts(hash: number, bytes: Buffer, texts: readonly number[]): number {
  let sum = hash;
  for (let index = 0; index < texts.length; index += 2) {
    sum = addEnds(sum, bytes, texts[index] as number, texts[index + 1] as number);
  }
  return sum;
}

/** Adds the length and both ends of a text. Agents begin with the same long instructions and end with the question. */
function addEnds(hash: number, bytes: Buffer, start: number, end: number): number {
  const sum = Math.imul(hash ^ (end - start), FNV_PRIME);
  if (end - start <= END_BYTES * 2) return addRange(sum, bytes, start, end);
  return addRange(addRange(sum, bytes, start, start + END_BYTES), bytes, end - END_BYTES, end);
}

function addText(hash: number, text: string): number {
  let sum = Math.imul(hash ^ text.length, FNV_PRIME);
  for (let index = 0; index < text.length; index += 1) sum = Math.imul(sum ^ text.charCodeAt(index), FNV_PRIME);
  return sum;
}

function addRange(hash: number, bytes: Buffer, from: number, to: number): number {
  let sum = hash;
  for (let index = from; index < to; index += 1) sum = Math.imul(sum ^ (bytes[index] as number), FNV_PRIME);
  return sum;
}
