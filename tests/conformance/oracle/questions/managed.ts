import type { Question } from "../question.ts";

type More = Partial<Question>;

/** Returns a function that asks about one operation with a body. */
export function post(operation: string, path: string) {
  return (scenario: string, body: unknown, more: More = {}): Question => ({
    operation,
    scenario,
    method: "POST",
    path,
    body,
    ...more,
  });
}

/** Returns a function that asks about one operation with a query. */
export function get(operation: string, path: string) {
  return (scenario: string, query = "", more: More = {}): Question => ({
    operation,
    scenario,
    method: "GET",
    path: path + query,
    ...more,
  });
}
