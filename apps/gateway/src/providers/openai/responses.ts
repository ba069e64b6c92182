import { type ResponseRequest, responseParams } from "@tollgate/contracts/responses/response-request.ts";
import { scanJson } from "@tollgate/domain/json-text.ts";
import { readableMember, readableRequest } from "../../call/call-body.ts";
import type { ReadAnswer, TranslatedCall, Translation, UpstreamRequest, UpstreamTarget } from "../../call/provider.ts";
import { isCarried } from "../../operations/responses/encoded-reasoning.ts";
import { type Edit, editBody, toJsonBytes } from "../../wire/edit-body.ts";
import { editRequest, modelEdit } from "../build-request.ts";
import { thinks, without } from "./fit-request.ts";
import { readResponseFailure } from "./read-response-failure.ts";
import { readResponseUsage } from "./read-response-usage.ts";
import { memberJson, ResponseStreamReader } from "./response-stream-reader.ts";

const everyParam: readonly string[] = Object.freeze([...responseParams]);
const NOTHING: ReadonlySet<string> = new Set();
const ENCRYPTED = "reasoning.encrypted_content";

/**
 * Responses API for upstreams that support it natively. The upstream receives the caller's bytes with the upstream's
 * model name and the gateway's edits.
 */
export const responseTranslation: Translation<ResponseRequest> = {
  supportedParams: () => everyParam,
  buildRequest,
  readAnswer,
  readStream: (call) => new ResponseStreamReader(responseEdits(call), call),
};

/**
 * Builds the request with `store: false`. Upstreams store no responses, so earlier turns are sent again, and any
 * upstream can continue the conversation.
 */
function buildRequest(
  call: TranslatedCall<ResponseRequest>,
  target: UpstreamTarget,
  dropped: ReadonlySet<string>,
): UpstreamRequest {
  const { body, outputLimit, conversation } = call;
  const { include, input } = body.request;
  const edits: Edit[] = [modelEdit(target), { name: "store", json: "false" }];
  if (outputLimit !== null) edits.push({ name: "max_output_tokens", json: String(outputLimit) });
  // Encrypted reasoning is requested so that a later call can send a reasoning model its earlier reasoning.
  if (conversation?.isKept === true && thinks(target.upstreamModel) && include?.includes(ENCRYPTED) !== true) {
    const included = (readableMember(body, "include") as readonly string[] | null | undefined) ?? [];
    edits.push({ name: "include", json: toJsonBytes([...included, ENCRYPTED]) });
  }
  if (Array.isArray(input) && (input as readonly Item[]).some(isForeign)) {
    edits.push({ name: "input", json: toJsonBytes(fitItems(readableRequest(body).input as readonly Item[])) });
  }
  return editRequest(call, target, "/responses", edits, without(dropped, "metadata"));
}

type Item = Readonly<Record<string, unknown>>;

/**
 * Reports whether OpenAI would reject an item, because it can't decrypt the item's reasoning or because the item's
 * fields belong to another API.
 */
function isForeign(item: Item): boolean {
  return isUnreadableThought(item) || item.extra_content !== undefined;
}

function isUnreadableThought({ type, encrypted_content: encrypted }: Item): boolean {
  return type === "reasoning" && (encrypted == null || isCarried(encrypted));
}

/**
 * Removes reasoning that OpenAI can't read. Also removes the IDs of the remaining items, because an ID links an item to
 * its reasoning.
 */
function fitItems(items: readonly Item[]): readonly Item[] {
  return items
    .filter((item) => !isUnreadableThought(item))
    .map(({ extra_content: _, id, ...item }) => (item.type === "reasoning" ? { ...item, id } : item));
}

function readAnswer(call: TranslatedCall<ResponseRequest>, text: string): ReadAnswer {
  const scan = scanJson(text);
  const members = scan.kind === "scanned" ? scan.members : [];
  const status = members.find(({ name }) => name === "status");
  const hasFailed = status !== undefined && text.slice(status.valueStart, status.valueEnd).trim() === '"failed"';
  if (hasFailed || !members.some(({ name }) => name === "output")) throw readResponseFailure(text);
  return {
    text: editBody({ text, members }, responseEdits(call), NOTHING),
    usage: readResponseUsage((name) => memberJson(text, members, name), call),
  };
}

/** Returns the response members in which the gateway's values replace the upstream's. */
function responseEdits({ model, conversation, body }: TranslatedCall<ResponseRequest>): readonly Edit[] {
  const { metadata } = body.request;
  return [
    { name: "model", json: model.shownJson },
    { name: "id", json: JSON.stringify(conversation?.id ?? "resp_") },
    { name: "store", json: String(conversation?.isKept ?? false) },
    { name: "previous_response_id", json: JSON.stringify(conversation?.previousId ?? null) },
    ...(metadata == null ? [] : [{ name: "metadata", json: toJsonBytes(readableRequest(body).metadata) }]),
  ];
}
