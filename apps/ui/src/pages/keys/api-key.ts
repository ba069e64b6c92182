import { NO_MODELS } from "@tollgate/domain/figures/key-state.ts";
import type { Operations } from "@tollgate/sdk/platform";
import { plural } from "../../format/plural.ts";

export type ApiKey = Operations["listApiKeys"]["answer"]["data"][number];
export type Team = Operations["listTeams"]["answer"]["data"][number];

export type ModelChoice = "all" | "only" | "none";

/** Returns which models a key can call, as a form choice. An empty list never means all models. */
export function modelChoiceOf(models: readonly string[] | null): ModelChoice {
  if (models === null) return "all";
  return models.every((name) => name === NO_MODELS) ? "none" : "only";
}

/** Describes the allowed models for the key list. */
export function describeModels(models: readonly string[] | null): string {
  if (models === null) return "All team models";
  if (modelChoiceOf(models) === "none") return "None";
  return models.length === 1 ? `Only ${models[0]}` : `Only ${plural(models.length, "model")}`;
}

const DAY_MS = 86_400_000;

/** Reports whether the key was used within the given days. Deleting such a key would break a client. */
export function wasUsedWithin({ lastUsedAt, usage }: ApiKey, days: number, now: Date): boolean {
  if (days <= 1 && usage.daily > 0n) return true;
  return lastUsedAt !== null && now.getTime() - new Date(lastUsedAt).getTime() < days * DAY_MS;
}

/** Reports whether the key is at least this many days old and has not been used for that long. */
export function isIdle(key: ApiKey, days: number, now: Date): boolean {
  const isOld = now.getTime() - new Date(key.createdAt).getTime() >= days * DAY_MS;
  return isOld && !wasUsedWithin(key, days, now);
}

export const periodLabels = {
  none: "total",
  daily: "per day",
  weekly: "per week",
  monthly: "per month",
  other: "per period",
} as const;
/** Budget periods offered in the console. */
export type Period = Exclude<keyof typeof periodLabels, "other">;
