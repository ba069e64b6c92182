import type { PageQueryParameters } from "@tollgate/contracts/assistants/assistant-fields.ts";
import { describePage } from "@tollgate/contracts/assistants/describe-page.ts";
import { Failure } from "@tollgate/contracts/failures.ts";
import type { PageQuery } from "@tollgate/domain/assistants/records.ts";
import type { Listed } from "../../assistants/assistant-store.ts";
import { answerJson, type PageAnswer } from "../api-operation.ts";

const DEFAULT_LIMIT = 20;
/** Format of all IDs. A cursor in any other format cannot be in a list. */
const CURSOR = /^[a-z]{3,6}_[0-9A-Za-z]{24}$/;

/** Returns the requested page parameters with defaults applied. */
export function readPage({ limit = DEFAULT_LIMIT, order = "desc", after, before }: PageQueryParameters): PageQuery {
  return { limit, order, ...readCursor("after", after), ...readCursor("before", before) };
}

/** Returns the page as a response, or throws if the cursor isn't in the list. */
export function answerPage<Item>(listed: Listed<Item>, describe: (item: Item) => { readonly id: string }): PageAnswer {
  if (listed === "unknown_cursor") throw unknownCursor();
  return answerJson(describePage(listed, describe));
}

/** Reads a cursor. Clients send an empty string for the first page, so it means no cursor. */
function readCursor(name: "after" | "before", id: string | undefined): Partial<PageQuery> {
  if (id === undefined || id === "") return {};
  if (!CURSOR.test(id)) throw unknownCursor(name);
  return { [name]: id };
}

function unknownCursor(param?: string): Failure {
  const message = `'${param ?? "after"}'${param === undefined ? " or 'before'" : ""} must be the ID of an item in this list.`;
  return new Failure("invalid_request", message, param === undefined ? {} : { param });
}
