import { type RerankRequest, rerankParams } from "@tollgate/contracts/rerank/rerank-request.ts";
import { readableRequest } from "../../call/call-body.ts";
import type { ReadAnswer, TranslatedCall, Translation } from "../../call/provider.ts";
import { documentTexts } from "../../operations/rerank/document-texts.ts";
import { writeRerank } from "../../operations/rerank/write-rerank.ts";
import { type Edit, toJsonBytes } from "../../wire/edit-body.ts";
import { unreadable } from "../../wire/invalid-response.ts";
import { editRequest, modelEdit } from "../build-request.ts";
import { parseObject } from "./parse-object.ts";

/** Upstream-specific differences in rerank requests. */
export interface RerankQuirks {
  /** The upstream's name for the number of results. Defaults to `top_n`. */
  readonly topName?: string;
}

/**
 * Rerank for upstreams that use Cohere's format. They differ in field names and in whether they return documents, so
 * the gateway writes the response itself.
 */
export function rerankTranslation({ topName = "top_n" }: RerankQuirks): Translation<RerankRequest> {
  return {
    supportedParams: () => [...rerankParams],
    buildRequest: (call, target, dropped) => {
      const request = readableRequest(call.body);
      const edits: Edit[] = [
        modelEdit(target),
        // Some upstreams return documents by default, but the gateway already has them from the request.
        { name: "return_documents", json: "false" },
      ];
      if (request.documents.some((document) => typeof document !== "string")) {
        edits.push({ name: "documents", json: toJsonBytes(documentTexts(request)) });
      }
      const isRenamed = topName !== "top_n" && request.top_n != null && !dropped.has("top_n");
      if (isRenamed) edits.push({ name: topName, json: String(request.top_n) });
      const left = new Set([...dropped, "rank_fields", ...(isRenamed ? ["top_n"] : [])]);
      return editRequest(call, target, "/rerank", edits, left);
    },
    readAnswer: readReranked,
    readStream: () => {
      throw new Error("reranked documents are not streamed");
    },
  };
}

interface Answer {
  readonly id?: unknown;
  readonly results?: unknown;
  readonly data?: unknown;
  readonly usage?: { readonly total_tokens?: unknown; readonly prompt_tokens?: unknown } | null;
  readonly meta?: {
    readonly billed_units?: { readonly search_units?: unknown } | null;
    readonly tokens?: { readonly input_tokens?: unknown } | null;
  } | null;
}

/** Reads a rerank response from any upstream with this format. */
export function readReranked(call: TranslatedCall<RerankRequest>, text: string): ReadAnswer {
  const answer = parseObject(Buffer.from(text, "latin1").toString("utf8")) as Answer | null;
  if (answer === null) throw unreadable();
  return writeRerank(call, {
    id: answer.id,
    results: answer.results ?? answer.data,
    inputTokens: answer.usage?.total_tokens ?? answer.usage?.prompt_tokens ?? answer.meta?.tokens?.input_tokens,
    searches: answer.meta?.billed_units?.search_units,
  });
}
