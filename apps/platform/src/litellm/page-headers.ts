import type { LitellmAnswer } from "./litellm-operation.ts";

export interface PageParams {
  readonly page: number;
  readonly pageSize: number;
}

export interface Paged<Item> {
  readonly items: readonly Item[];
  readonly total: number;
}

/** Adds the page number and totals as headers to a response whose body is only a list. */
export function pageHeaders(answer: LitellmAnswer, { page, pageSize }: PageParams, total: number): LitellmAnswer {
  const headers = {
    "x-gw-page": String(page),
    "x-gw-total-count": String(total),
    "x-gw-total-pages": String(Math.ceil(total / pageSize)),
  };
  return { ...answer, headers: { ...answer.headers, ...headers } };
}
