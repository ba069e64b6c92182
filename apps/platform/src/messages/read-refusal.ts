import { failures, type GatewayCode, isGatewayCode, type ManagementReason } from "@tollgate/contracts/failure-table.ts";
import { Failure } from "@tollgate/contracts/failures.ts";
import type { GatewayResponse } from "./gateway-caller.ts";

/** Fields of a gateway error that this module reads. */
export interface GatewayError {
  readonly message?: unknown;
  readonly code?: unknown;
  readonly param?: unknown;
  readonly limit?: Readonly<Record<string, unknown>>;
  readonly fix?: unknown;
}

/** Maps gateway error codes to management reasons. Other codes are mapped by status. */
const reasons: Partial<Readonly<Record<GatewayCode, ManagementReason>>> = {
  QUOTA_EXCEEDED: "OUT_OF_CREDIT",
  budget_exceeded: "OUT_OF_CREDIT",
  TEAM_BLOCKED: "TEAM_BLOCKED",
  DB_TIMEOUT: "DB_TIMEOUT",
  model_not_found: "MODEL_NOT_FOUND",
  key_model_access_denied: "MODEL_NOT_ALLOWED",
  team_model_access_denied: "MODEL_NOT_ALLOWED",
  user_model_access_denied: "MODEL_NOT_ALLOWED",
  org_model_access_denied: "MODEL_NOT_ALLOWED",
  request_too_large: "BODY_TOO_LARGE",
  upstream_unreachable: "UPSTREAM_FAILED",
  service_unavailable: "UPSTREAM_FAILED",
};

const reasonsByStatus: Readonly<Record<number, ManagementReason>> = {
  400: "INVALID_FIELD",
  401: "INVALID_API_KEY",
  403: "ROLE_REQUIRED",
  404: "MODEL_NOT_FOUND",
  408: "UPSTREAM_TIMEOUT",
  413: "BODY_TOO_LARGE",
  422: "INVALID_FIELD",
  429: "MODEL_RATE_LIMITED",
  503: "UNAVAILABLE",
  504: "UPSTREAM_TIMEOUT",
};

/** Converts a gateway's refusal to a management failure. */
export function readRefusal(
  response: Pick<GatewayResponse, "status" | "headers">,
  body: Buffer,
  blockedReason: string | null,
): Failure {
  return translate(parseError(body.toString("utf8")), response.status, response.headers["retry-after"], blockedReason);
}

/** Converts an error within a stream, which has neither status nor headers. */
export function readStreamedError(error: GatewayError): Failure {
  const { code } = error;
  const status = typeof code === "string" && isGatewayCode(code) ? failures[code].status : 502;
  return translate(error, status, undefined, null);
}

function translate(
  error: GatewayError,
  status: number,
  retryAfter: string | undefined,
  blockedReason: string | null,
): Failure {
  const reason = reasons[error.code as GatewayCode] ?? reasonsByStatus[status] ?? "UPSTREAM_FAILED";
  const message = typeof error.message === "string" ? error.message : "The request failed.";
  const retryAfterSeconds = Number(retryAfter);
  return new Failure(reason, reason === "TEAM_BLOCKED" ? explainBlock(blockedReason, message) : message, {
    publicDetails: detailsOf(reason, error, blockedReason),
    ...(typeof error.fix === "string" && { fix: error.fix }),
    ...(retryAfterSeconds > 0 && { retryAfterMs: retryAfterSeconds * 1_000 }),
  });
}

function parseError(text: string): GatewayError {
  try {
    const { error } = JSON.parse(text) as { error?: GatewayError };
    return error ?? {};
  } catch {
    return {};
  }
}

function explainBlock(blockedReason: string | null, message: string): string {
  return blockedReason === "admin" ? "Team is blocked by a platform administrator." : message;
}

function detailsOf(reason: ManagementReason, error: GatewayError, blockedReason: string | null) {
  if (reason === "TEAM_BLOCKED") return { blockedReason: blockedReason ?? "negative_balance" };
  if (reason === "OUT_OF_CREDIT") return spendingDetails(error.limit ?? {});
  if (reason === "INVALID_FIELD" && typeof error.param === "string") {
    return { fields: { [error.param]: String(error.message ?? "") } };
  }
  return {};
}

/** Returns amounts in nano-USD. A budget's spending includes its holds, so only the remaining amount is returned. */
function spendingDetails(limit: Readonly<Record<string, unknown>>) {
  const maximum = toNano(limit.maximum);
  const current = toNano(limit.current);
  const required = toNano(limit.required);
  const available = maximum === null || current === null ? null : maximum > current ? maximum - current : 0n;
  return {
    scope: limit.owner_type ?? "organization",
    ...(available !== null && { available }),
    ...(limit.kind === "credit" && current !== null && { held: current > 0n ? current : 0n }),
    ...(required !== null && { required }),
    ...(typeof limit.resets_at === "string" && { resetsAt: limit.resets_at }),
  };
}

/** Converts a USD amount with nine decimal places to nano-USD. */
function toNano(usd: unknown): bigint | null {
  return typeof usd === "string" && /^-?\d+\.\d{9}$/.test(usd) ? BigInt(usd.replace(".", "")) : null;
}
