import { type EmbeddingRequest, embeddingParams } from "@tollgate/contracts/embeddings/embedding-request.ts";
import { findTopLevelString } from "@tollgate/domain/json-text.ts";
import type { BodyPieces } from "../../call/body-pieces.ts";
import type { PiecedAnswer } from "../../call/pieced-answer.ts";
import type { ReadAnswer, TranslatedCall, Translation, UpstreamRequest, UpstreamTarget } from "../../call/provider.ts";
import { type GivenVector, wantsBase64, writeEmbeddings } from "../../operations/embeddings/write-embeddings.ts";
import { hasTokens, textsOf } from "../../tokens/text-or-tokens.ts";
import { type Edit, toJsonBytes } from "../../wire/edit-body.ts";
import { unreadable } from "../../wire/invalid-response.ts";
import { editRequest, modelEdit } from "../build-request.ts";
import { findUsage } from "./read-answer.ts";
import { END_BYTES, replaceModel } from "./read-answer-pieces.ts";
import type { OpenAiWire } from "./wire.ts";

/**
 * Matches the start of the first vector. Quotes inside JSON strings are escaped, so the pattern can't match content.
 */
const FIRST_VECTOR = /"embedding"\s*:\s*(["[])/;
/** A prefix for text that starts at the end of the vector list, so that the scanner starts inside the list. */
const INSIDE_LIST = '{"data":[';

const everyParam: readonly string[] = Object.freeze([...embeddingParams]);
const paramsOfFixedLength: readonly string[] = Object.freeze(everyParam.filter((name) => name !== "dimensions"));

/**
 * Embeddings in the OpenAI format, relayed byte for byte. Token inputs are decoded for upstreams that don't accept
 * them, and vectors are converted if the upstream ignores the requested encoding.
 */
export function embeddingTranslation({ takesTokens }: Pick<OpenAiWire, "takesTokens">): Translation<EmbeddingRequest> {
  return {
    supportedParams: (model) => (hasFixedLength(model) ? paramsOfFixedLength : everyParam),
    buildRequest: (call, target, dropped) => buildEmbeddingRequest(call, target, dropped, takesTokens === true),
    readAnswer: readEmbeddings,
    readPieces: readEmbeddingPieces,
    readStream: () => {
      throw new Error("embeddings are not streamed");
    },
  };
}

/** Reports whether the model's vectors have a fixed length, as with OpenAI's oldest available embedding model. */
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

/** Relays a response in the requested encoding unchanged, except for the model name. */
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

/**
 * Reads a large response by its ends: the first vector is at the beginning, and the model and the usage follow the last
 * one. The result is the one of `readEmbeddings`. Returns null if the ends are not enough.
 */
function readEmbeddingPieces(call: TranslatedCall<EmbeddingRequest>, pieces: BodyPieces): PiecedAnswer | null {
  const beginning = pieces.beginning(END_BYTES);
  const ending = pieces.ending(END_BYTES);
  const usage = findUsage(ending)?.usage ?? null;
  const first = FIRST_VECTOR.exec(beginning);
  if (usage === null || first === null || !isObject(beginning, ending)) return null;
  const model = (first[1] === '"') === wantsBase64(call) ? findModelBehind(ending) : null;
  return model === null ? null : replaceModel(call, pieces, usage, ending, model, pieces.length - ending.length);
}

interface TextRange {
  readonly start: number;
  readonly end: number;
}

/**
 * Finds the model name. Searches the short text after the vectors first, so that the vectors usually don't have to be
 * scanned.
 */
function findModel(text: string): TextRange | null {
  return findModelBehind(text) ?? findTopLevelString(text, "model");
}

/** Finds the model name after the vectors. */
function findModelBehind(text: string): TextRange | null {
  const listEnd = text.lastIndexOf("]");
  const behind = listEnd < 0 ? null : findTopLevelString(INSIDE_LIST + text.slice(listEnd), "model");
  if (behind === null) return null;
  const shift = listEnd - INSIDE_LIST.length;
  return { start: behind.start + shift, end: behind.end + shift };
}

function isObject(beginning: string, ending = beginning): boolean {
  return beginning.trimStart().startsWith("{") && ending.trimEnd().endsWith("}");
}

interface Entry {
  readonly index?: unknown;
  readonly embedding?: unknown;
}

/** Returns the vectors in the order of their inputs. */
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
