import { type RerankRequest, rerankParams } from "@tollgate/contracts/rerank/rerank-request.ts";
import { documentTexts } from "../../operations/rerank/document-texts.ts";
import { writeRerank } from "../../operations/rerank/write-rerank.ts";
import { readableRequest } from "../../pipeline/body/call-body.ts";
import type { ReadAnswer, TranslatedCall, Translation } from "../provider.ts";
import { unreadable } from "../unreadable.ts";
import { editRequest, modelEdit } from "./build-request.ts";
import { type Edit, toJsonBytes } from "./edit-body.ts";
import { parseObject } from "./parse-object.ts";

/** What an upstream that sorts documents has of its own. */
export interface RerankQuirks {
  /** What it calls the number of documents wanted back; `top_n` where it says nothing. */
  readonly topName?: string;
}

/**
 * Rerank of upstreams that took over the form of its inventor. They differ in what they call things and whether they send
 * documents back, so the answer is written here.
 */
export function rerankTranslation({ topName = "top_n" }: RerankQuirks): Translation<RerankRequest> {
  return {
    supportedParams: () => [...rerankParams],
    buildRequest: (call, target, dropped) => {
      const request = readableRequest(call.body);
      const edits: Edit[] = [
        modelEdit(target),
        // Some send them back where nothing is said, and the request has them already.
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

/** Reads an answer, whoever took over the form. */
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
