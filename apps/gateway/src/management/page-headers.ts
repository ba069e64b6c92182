import type { PageAnswer } from "../edge/api-operation.ts";
import type { PageParams } from "./management.ts";

/** Adds headers with the position in the full list to a response that is a bare list. */
export function pageHeaders(answer: PageAnswer, { page, pageSize }: PageParams, total: number): PageAnswer {
  const headers = {
    "x-gw-page": String(page),
    "x-gw-total-count": String(total),
    "x-gw-total-pages": String(Math.ceil(total / pageSize)),
  };
  return { ...answer, headers: { ...answer.headers, ...headers } };
}
