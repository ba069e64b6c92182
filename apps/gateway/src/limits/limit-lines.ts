import type { Limit, RateLimitReservation, WindowLimit } from "./limit.ts";
import type { RateLimiter } from "./rate-limiter.ts";

const SECOND_MS = 1_000;
const MINUTE_S = 60;
const HOUR_S = 3_600;

/**
 * Returns the header lines with the caller's limits: the key's tightest limit under OpenAI's header names, the key's
 * limit for the model if it has one, and every limit under its own name. The counts are as known to this process.
 */
export function limitLines(limiter: RateLimiter, taken: RateLimitReservation, model: string, nowMs: number): string {
  if (taken.limits.length === 0) return "";
  let lines = "";
  let requests: Tightest | null = null;
  let tokens: Tightest | null = null;
  for (const limit of taken.limits) {
    const left = limiter.leftOf(limit, nowMs);
    lines += `${limit.remainingPrefix}${left}\r\n`;
    if (limit.type === "max_parallel_requests" || !isOfKey(limit)) continue;
    if (limit.type === "requests") requests = tighter(requests, limit, left);
    else tokens = tighter(tokens, limit, left);
    if (limit.scope === "model_per_key") {
      lines += `x-gw-key-remaining-${limit.type}-${inHeaderName(model)}: ${left}\r\n`;
    }
  }
  if (requests !== null) lines += openAiLines(requests, nowMs);
  if (tokens !== null) lines += openAiLines(tokens, nowMs);
  return lines;
}

/** Formats a duration as OpenAI does, such as `6ms`, `12s`, `1m30s`, or `1h0m5s`. */
export function formatSpan(spanMs: number): string {
  if (spanMs < SECOND_MS) return `${Math.max(0, Math.ceil(spanMs))}ms`;
  const seconds = Math.ceil(spanMs / SECOND_MS);
  if (seconds < MINUTE_S) return `${seconds}s`;
  const minutes = Math.floor((seconds % HOUR_S) / MINUTE_S);
  const hours = Math.floor(seconds / HOUR_S);
  return `${hours === 0 ? "" : `${hours}h`}${minutes}m${seconds % MINUTE_S}s`;
}

interface Tightest {
  readonly limit: WindowLimit;
  readonly left: number;
}

function tighter(known: Tightest | null, limit: WindowLimit, left: number): Tightest {
  return known === null || left < known.left ? { limit, left } : known;
}

function openAiLines({ limit: { openAiPrefix, openAiReset, meter }, left }: Tightest, nowMs: number): string {
  return `${openAiPrefix}${left}${openAiReset}${formatSpan(meter.remainingMs(nowMs))}\r\n`;
}

function isOfKey(limit: Limit): boolean {
  return limit.scope === "api_key" || limit.scope === "model_per_key";
}

/** Converts a model group to a valid part of a header name. */
function inHeaderName(model: string): string {
  return model.replace(/[^A-Za-z0-9._-]/g, "-");
}
