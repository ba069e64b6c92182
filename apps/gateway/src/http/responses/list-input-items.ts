import { PageQueryParameters } from "@tollgate/contracts/assistants/assistant-fields.ts";
import { Failure } from "@tollgate/contracts/failures.ts";
import { versionedPaths } from "@tollgate/contracts/operations.ts";
import { ResponseItemList } from "@tollgate/contracts/responses/response-object.ts";
import { actingFor } from "../../assistants/owner-context-of.ts";
import type { Item, StoredResponse } from "../../responses/response-store.ts";
import { answerJson, type KeyedOperation } from "../api-operation.ts";
import { absent, knownId, responseFailures, responseRules, storeOf } from "./response-rules.ts";

const DEFAULT_LIMIT = 20;

/** Returns a page of a response's input items, without earlier items of the conversation. */
export const listInputItems: KeyedOperation<PageQueryParameters> = {
  ...responseRules,
  id: "listInputItems",
  summary: "List a response's input items",
  method: "GET",
  paths: versionedPaths("/responses/{response_id}/input_items"),
  query: PageQueryParameters,
  answers: { 200: { description: "A page of items.", schema: ResponseItemList }, ...responseFailures },

  async handle({ caller, params, query }, context) {
    const id = knownId(params.response_id);
    const kept = await storeOf(context).find(actingFor(caller), id);
    if (kept === null) throw absent(id);
    const { limit = DEFAULT_LIMIT, order = "desc", after, before } = query;
    const items = kept.input.map((item, index) => named(item, kept, index));
    if (order === "desc") items.reverse();
    const from = after ? placeOf(items, after, "after") + 1 : 0;
    const to = before ? placeOf(items, before, "before") : items.length;
    const data = items.slice(from, Math.min(to, from + limit));
    return answerJson({
      object: "list",
      data,
      first_id: data[0]?.id ?? null,
      last_id: data.at(-1)?.id ?? null,
      has_more: from + data.length < to,
    });
  },
};

/** Returns an item for a list. Adds a missing type, and derives a missing ID from the item's position. */
function named(item: Item, { id }: StoredResponse, index: number): Item & { readonly id: string } {
  const { type = "message", id: own, content, ...rest } = item;
  const itemId = typeof own === "string" ? own : `msg_${id.slice("resp_".length)}i${index}`;
  const isText = typeof content === "string";
  const parts = isText ? [{ type: item.role === "assistant" ? "output_text" : "input_text", text: content }] : content;
  return { id: itemId, type: type ?? "message", ...rest, ...(parts !== undefined && { content: parts }) };
}

function placeOf(items: readonly { readonly id: string }[], id: string, param: string): number {
  const place = items.findIndex((item) => item.id === id);
  if (place >= 0) return place;
  throw new Failure("invalid_request", `'${param}' must be the ID of an item in this list.`, { param });
}
