/**
 * The outcome of a request (decision 81). Each request has exactly one class, so the five counts add up to the number
 * of requests.
 *
 * - `succeeded`: the client got the response.
 * - `failed`: an upstream was called and did not deliver, or the gateway itself broke.
 * - `refused`: credit, a budget, a limit, a guardrail, a permission, or the load of this instance stopped the request.
 * - `rejected`: the request was invalid, or named a model that does not exist or has no price.
 * - `canceled`: the client disconnected first.
 */
export const REQUEST_CLASSES = ["succeeded", "failed", "refused", "rejected", "canceled"] as const;
export type RequestClass = (typeof REQUEST_CLASSES)[number];

/** The number of requests in each class. */
export type ClassCounts = Readonly<Record<RequestClass, number>>;

export const NO_REQUESTS: ClassCounts = { succeeded: 0, failed: 0, refused: 0, rejected: 0, canceled: 0 };

/** The status of a request with a usage event, as it is stored. */
export type SettledStatus = "success" | "failure" | "client_disconnect";

interface SettledRequest {
  readonly status: SettledStatus;
  readonly httpStatus: number;
}

interface UnsettledRequest {
  readonly httpStatus: number;
  readonly errorCode: string | null;
}

/**
 * Statuses of failures that the request caused: it was invalid, too large, or against the provider's policy. They say
 * nothing about the provider. The SQL functions `add_to_rollups` and `log_refused_calls` have the same rules.
 */
export const REJECTED_STATUSES: readonly number[] = [400, 413, 422];

/** The status that is recorded if the client disconnected before the response. */
export const CLIENT_CLOSED_STATUS = 499;

/** Statuses of a key, permission, balance, or limit that stopped a request. */
const refusedStatuses: readonly number[] = [401, 402, 403, 429];

/** Error codes whose status alone would give another class. */
const classOfCode: Readonly<Record<string, RequestClass>> = {
  guardrail_blocked: "refused",
  overloaded: "refused",
  shutting_down: "refused",
  upstream_rate_limit: "failed",
  price_missing: "rejected",
  token_counting_disabled: "rejected",
  assistants_unavailable: "rejected",
  responses_unavailable: "rejected",
};

/** Returns the class of a request with a usage event. Such a request was admitted, so it was never refused. */
export function classOfSettled({ status, httpStatus }: SettledRequest): RequestClass {
  if (status === "success") return "succeeded";
  if (status === "client_disconnect") return "canceled";
  return REJECTED_STATUSES.includes(httpStatus) ? "rejected" : "failed";
}

/** Returns the class of a request that ended before it had an account, and so has no usage event. */
export function classOfUnsettled({ httpStatus, errorCode }: UnsettledRequest): Exclude<RequestClass, "succeeded"> {
  if (httpStatus === CLIENT_CLOSED_STATUS) return "canceled";
  const known = errorCode !== null && Object.hasOwn(classOfCode, errorCode) ? classOfCode[errorCode] : undefined;
  if (known !== undefined && known !== "succeeded") return known;
  if (refusedStatuses.includes(httpStatus)) return "refused";
  return httpStatus >= 500 ? "failed" : "rejected";
}

/** Returns the number of requests in all classes. */
export function requestsOf(counts: ClassCounts): number {
  return REQUEST_CLASSES.reduce((sum, name) => sum + counts[name], 0);
}

/** Adds up the counts of each class. */
export function addCounts(list: Iterable<ClassCounts>): ClassCounts {
  const sum: Record<RequestClass, number> = { ...NO_REQUESTS };
  for (const counts of list) for (const name of REQUEST_CLASSES) sum[name] += counts[name];
  return sum;
}

/** Returns the share of requests that failed among those that the upstream had to deliver; null without any. */
export function errorRate({ succeeded, failed }: Pick<ClassCounts, "succeeded" | "failed">): number | null {
  const delivered = succeeded + failed;
  return delivered === 0 ? null : failed / delivered;
}
