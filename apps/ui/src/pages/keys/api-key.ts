import type { Operations } from "@tollgate/sdk/platform";
import type { DotShape } from "../../components/status-dot.tsx";
import { plural } from "../../format/numbers.ts";

export type ApiKey = Operations["listApiKeys"]["answer"]["data"][number];
export type Team = Operations["listTeams"]["answer"]["data"][number];

/** The entry of a model list that permits nothing. */
export const NO_MODELS = "no-default-models";

export type ModelChoice = "all" | "only" | "none";

/** What a key may call, as people choose it. An empty list never means everything. */
export function modelChoiceOf(models: readonly string[] | null): ModelChoice {
  if (models === null) return "all";
  return models.every((name) => name === NO_MODELS) ? "none" : "only";
}

/** The same in the words of the key list. */
export function describeModels(models: readonly string[] | null): string {
  if (models === null) return "All team models";
  if (modelChoiceOf(models) === "none") return "None";
  return models.length === 1 ? `Only ${models[0]}` : `Only ${plural(models.length, "model")}`;
}

export interface KeyState {
  readonly shape: DotShape;
  readonly word: string;
}

/** Whether calls with the key are answered, and if not, what stands in the way. */
export function stateOf(key: ApiKey, team: Team | undefined): KeyState {
  if (key.status === "revoked") return { shape: "off", word: "Deleted" };
  if (key.status === "expired") return { shape: "off", word: "Expired" };
  if (key.status === "disabled") return { shape: "bad", word: "Blocked" };
  if (team?.status === "blocked") return { shape: "bad", word: "Team blocked" };
  if (isAtCap(key)) return { shape: "bad", word: "Cap reached" };
  if (modelChoiceOf(key.models) === "none") return { shape: "warning", word: "No models" };
  return { shape: "ok", word: "Active" };
}

export function isAtCap({ budget }: ApiKey): boolean {
  return budget !== null && budget.spent >= budget.limit;
}

const DAY_MS = 86_400_000;

/** Whether the key was used within so many days; deleting such a one hurts somebody. */
export function wasUsedWithin({ lastUsedAt, usage }: ApiKey, days: number, now: Date): boolean {
  if (days <= 1 && usage.daily > 0n) return true;
  return lastUsedAt !== null && now.getTime() - new Date(lastUsedAt).getTime() < days * DAY_MS;
}

/** Not used for so many days, and old enough that it could have been. */
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
/** The periods that people choose from here. */
export type Period = Exclude<keyof typeof periodLabels, "other">;
