import type { PageAnswer } from "../edge/api-operation.ts";
import type { PageParams } from "./management.ts";

/** Adds the page number and totals as headers to a response whose body is only a list. */
export function pageHeaders(answer: PageAnswer, { page, pageSize }: PageParams, total: number): PageAnswer {
  const headers = {
    "x-gw-page": String(page),
    "x-gw-total-count": String(total),
    "x-gw-total-pages": String(Math.ceil(total / pageSize)),
  };
  return { ...answer, headers: { ...answer.headers, ...headers } };
}
