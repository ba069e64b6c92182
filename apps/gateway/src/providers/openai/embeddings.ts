import { type EmbeddingRequest, embeddingParams } from "@tollgate/contracts/embeddings/embedding-request.ts";
import { findTopLevelString } from "@tollgate/domain/json-text.ts";
import { type GivenVector, wantsBase64, writeEmbeddings } from "../../operations/embeddings/write-embeddings.ts";
import { hasTokens, textsOf } from "../../tokens/text-or-tokens.ts";
import type { ReadAnswer, TranslatedCall, Translation, UpstreamRequest, UpstreamTarget } from "../provider.ts";
import { unreadable } from "../unreadable.ts";
import { editRequest, modelEdit } from "./build-request.ts";
import { type Edit, toJsonBytes } from "./edit-body.ts";
import { findUsage } from "./read-usage.ts";
import type { OpenAiWire } from "./wire.ts";

/** How the first vector of an answer is written; quotes inside JSON strings are escaped, so this cannot be content. */
const FIRST_VECTOR = /"embedding"\s*:\s*(["[])/;
/** Brings a reader to where the list of vectors is still open. */
const INSIDE_LIST = '{"data":[';

const everyParam: readonly string[] = Object.freeze([...embeddingParams]);
const paramsOfFixedLength: readonly string[] = Object.freeze(everyParam.filter((name) => name !== "dimensions"));

/**
 * Embeddings of this wire: the caller's bytes there, the upstream's bytes back. Tokens are read where an upstream does not
 * take them, and vectors are converted where it does not write them as asked.
 */
export function embeddingTranslation({ takesTokens }: Pick<OpenAiWire, "takesTokens">): Translation<EmbeddingRequest> {
  return {
    supportedParams: (model) => (hasFixedLength(model) ? paramsOfFixedLength : everyParam),
    buildRequest: (call, target, dropped) => buildEmbeddingRequest(call, target, dropped, takesTokens === true),
    readAnswer: readEmbeddings,
    readStream: () => {
      throw new Error("embeddings are not streamed");
    },
  };
}

/** The oldest of OpenAI's models that are still served has vectors of one length. */
function hasFixedLength(upstreamModel: string): boolean {
  return upstreamModel.startsWith("text-embedding-ada-");
}

function buildEmbeddingRequest(
  call: TranslatedCall<EmbeddingRequest>,
  target: UpstreamTarget,
  dropped: ReadonlySet<string>,
  takesTokens: boolean,
): UpstreamRequest {
  const input = call.body.request.input ?? "";
  const edits: Edit[] = [modelEdit(target)];
  if (!takesTokens && hasTokens(input)) {
    edits.push({ name: "input", json: toJsonBytes(textsOf(input, target.upstreamModel, "input")) });
  }
  return editRequest(call, target, "/embeddings", edits, dropped);
}

/** An answer in the encoding the caller asked for passes as it came, under the caller's name for the model. */
function readEmbeddings(call: TranslatedCall<EmbeddingRequest>, text: string): ReadAnswer {
  const usage = findUsage(text)?.usage ?? null;
  const first = FIRST_VECTOR.exec(text);
  if (first === null || !isObject(text)) throw unreadable();
  if ((first[1] === '"') !== wantsBase64(call)) {
    return writeEmbeddings(call, readVectors(text), usage === null ? null : usage.inputTokens);
  }
  const model = findModel(text);
  if (model === null) return { text, usage };
  return { text: text.slice(0, model.start) + call.model.shownJson + text.slice(model.end), usage };
}

/** Where the model's name stands. Looked for behind the vectors first: in front of them there is little to search. */
function findModel(text: string): { readonly start: number; readonly end: number } | null {
  const listEnd = text.lastIndexOf("]");
  const behind = findTopLevelString(INSIDE_LIST + text.slice(listEnd), "model");
  if (behind === null) return findTopLevelString(text, "model");
  const shift = listEnd - INSIDE_LIST.length;
  return { start: behind.start + shift, end: behind.end + shift };
}

function isObject(text: string): boolean {
  return text.trimStart().startsWith("{") && text.trimEnd().endsWith("}");
}

interface Entry {
  readonly index?: unknown;
  readonly embedding?: unknown;
}

/** The vectors in the order of their inputs. */
function readVectors(text: string): readonly GivenVector[] {
  let entries: unknown;
  try {
    entries = (JSON.parse(text) as { readonly data?: unknown }).data;
  } catch (error) {
    throw unreadable(error);
  }
  if (!Array.isArray(entries)) throw unreadable();
  const vectors: GivenVector[] = new Array(entries.length);
  for (const [place, { index, embedding }] of (entries as Entry[]).entries()) {
    if (typeof embedding !== "string" && !isVector(embedding)) throw unreadable();
    const at = typeof index === "number" ? index : place;
    if (!(at in entries) || at in vectors) throw unreadable();
    vectors[at] = embedding;
  }
  return vectors;
}

function isVector(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.every((entry) => typeof entry === "number");
}
