import type { PageQueryParameters } from "@tollgate/contracts/assistants/assistant-fields.ts";
import { describePage } from "@tollgate/contracts/assistants/describe-page.ts";
import { Failure } from "@tollgate/contracts/failures.ts";
import type { PageQuery } from "@tollgate/domain/assistants/records.ts";
import { answerJson, type PageAnswer } from "../edge/rest-operation.ts";
import type { Listed } from "./assistant-store.ts";

const DEFAULT_LIMIT = 20;
/** The form of every id; what has another is in no list. */
const CURSOR = /^[a-z]{3,6}_[0-9A-Za-z]{24}$/;

/** The page that a query asks for, defaults filled in. */
export function readPage({ limit = DEFAULT_LIMIT, order = "desc", after, before }: PageQueryParameters): PageQuery {
  return { limit, order, ...readCursor("after", after), ...readCursor("before", before) };
}

/** A page as an answer, or the refusal of a cursor that is not in the list. */
export function answerPage<Item>(listed: Listed<Item>, describe: (item: Item) => { readonly id: string }): PageAnswer {
  if (listed === "unknown_cursor") throw unknownCursor();
  return answerJson(describePage(listed, describe));
}

/** An empty text means no cursor: clients write one for the first page. */
function readCursor(name: "after" | "before", id: string | undefined): Partial<PageQuery> {
  if (id === undefined || id === "") return {};
  if (!CURSOR.test(id)) throw unknownCursor(name);
  return { [name]: id };
}

function unknownCursor(param?: string): Failure {
  const message = `'${param ?? "after"}'${param === undefined ? " or 'before'" : ""} must be the ID of an item in this list.`;
  return new Failure("invalid_request", message, param === undefined ? {} : { param });
}
