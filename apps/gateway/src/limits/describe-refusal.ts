import { Failure } from "@tollgate/contracts/failures.ts";
import type { LimitScope, Refusal } from "./limit.ts";

const MINUTE_MS = 60_000;

const owners: Record<LimitScope, { readonly type: "key" | "team" | "user" | "organization"; readonly word: string }> = {
  api_key: { type: "key", word: "Key" },
  model_per_key: { type: "key", word: "Key" },
  team: { type: "team", word: "Team" },
  model_per_team: { type: "team", word: "Team" },
  user: { type: "user", word: "User" },
  organization: { type: "organization", word: "Organization" },
};

/** Converts a refusal into a failure that names the limit, its owner, the usage, the reset time, and a fix. */
export function describeRefusal(refusal: Refusal): Failure {
  const { type, scope, limit, current, ownerName, retryAfterMs } = refusal;
  const owner = owners[scope];
  const name = ownerName === null ? `The ${owner.type}` : `${owner.word} '${ownerName}'`;
  const onModel = scope === "model_per_key" || scope === "model_per_team" ? " on this model" : "";
  const seconds = Math.max(1, Math.ceil(retryAfterMs / 1_000));
  const isSlot = type === "max_parallel_requests";
  const message = isSlot
    ? `${name} has reached its limit of ${limit} concurrent ${plural(limit, "request")}${onModel} (${current} in flight).`
    : `${name} has reached its limit of ${limit} ${limitUnit(refusal)}${onModel} (${current} used, resets in ${seconds} s).`;
  const wait = isSlot ? "Wait for a request to finish" : `Wait ${seconds} s`;
  return new Failure("rate_limit_exceeded", message, {
    retryAfterMs,
    rateLimit: { type, scope },
    limit: {
      kind: type,
      ownerType: owner.type,
      ownerName: ownerName ?? "",
      current,
      maximum: limit,
      resetsAt: new Date(refusal.resetAtMs).toISOString(),
    },
    fix: `${wait}, or raise the ${owner.type}'s limit.`,
  });
}

function limitUnit({ type, limit, windowMs }: Refusal): string {
  const unit = plural(limit, type === "tokens" ? "token" : "request");
  return `${unit} per ${windowMs === MINUTE_MS ? "minute" : `${windowMs / 1_000} s`}`;
}

function plural(count: number, word: string): string {
  return count === 1 ? word : `${word}s`;
}
