import { usageError } from "../../cli-error.ts";
import type { Flag } from "../../command.ts";
import { parseBudget } from "./budgets.ts";

/** Limit flags for keys and teams. */
export const limitFlags = {
  models: {
    type: "string",
    multiple: true,
    value: "MODEL",
    description: "Allowed models; 'all' removes the restriction",
    completes: "models",
  },
  cap: {
    type: "string",
    value: "USD[/PERIOD]",
    description: "Budget, such as 25/month, 5/day, or 100; 'none' removes it",
  },
  rpm: { type: "number", value: "COUNT", description: "Requests per minute; 0 for no limit" },
  tpm: { type: "number", value: "COUNT", description: "Tokens per minute; 0 for no limit" },
  "max-parallel": { type: "number", value: "COUNT", description: "Max concurrent requests; 0 for no limit" },
} as const satisfies Readonly<Record<string, Flag>>;

interface LimitValues {
  readonly models: readonly string[];
  readonly cap: string | undefined;
  readonly rpm: number | undefined;
  readonly tpm: number | undefined;
  readonly "max-parallel": number | undefined;
}

/** Returns the request body fields that set these limits. Limits without a flag are unchanged. */
export function readLimits(flags: LimitValues) {
  const models = flags.models.flatMap((each) => each.split(",")).filter((each) => each !== "");
  if (models.includes("all") && models.length > 1)
    throw usageError("--models all cannot be combined with other models.");
  const { rpm, tpm, "max-parallel": maxParallel } = flags;
  const rateLimit = {
    ...(rpm !== undefined && { rpm: orNone(rpm) }),
    ...(tpm !== undefined && { tpm: orNone(tpm) }),
    ...(maxParallel !== undefined && { maxParallel: orNone(maxParallel) }),
  };
  return {
    ...(models.length > 0 && { models: models[0] === "all" ? null : models }),
    ...(flags.cap !== undefined && { budget: parseBudget(flags.cap) }),
    ...(Object.keys(rateLimit).length > 0 && { rateLimit }),
  };
}

const orNone = (count: number): number | null => (count === 0 ? null : count);

interface RateLimit {
  readonly rpm: number | null;
  readonly tpm: number | null;
  readonly maxParallel: number | null;
}

/** Formats rate limits; null if no limit is set. */
export function formatRateLimit(limit: RateLimit | null): string | null {
  if (limit === null) return null;
  const { rpm, tpm, maxParallel } = limit;
  const parts = [
    ...(rpm === null ? [] : [`${rpm} requests per minute`]),
    ...(tpm === null ? [] : [`${tpm} tokens per minute`]),
    ...(maxParallel === null ? [] : [`${maxParallel} concurrent requests`]),
  ];
  return parts.length === 0 ? null : parts.join(", ");
}
