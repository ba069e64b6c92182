import type { NanoUsd } from "../money.ts";

/** Whether requests with a key are accepted, or what stops them. The first that applies, in this order. */
export const KEY_STATES = [
  "revoked",
  "expired",
  "disabled",
  "team_blocked",
  "cap_reached",
  "no_models",
  "active",
] as const;
export type KeyState = (typeof KEY_STATES)[number];

/** Entry of a key's models that allows no model. */
export const NO_MODELS = "no-default-models";

interface StoredKey {
  readonly status: "active" | "disabled" | "expired" | "revoked";
  readonly isTeamBlocked: boolean;
  /** Null if the key has no budget. */
  readonly budget: { readonly limit: NanoUsd; readonly spent: NanoUsd } | null;
  /** Empty if the key can use all of the team's models. */
  readonly models: readonly string[];
}

/** Returns whether requests with a key are accepted, or what stops them. */
export function keyStateOf({ status, isTeamBlocked, budget, models }: StoredKey): KeyState {
  if (status !== "active") return status;
  if (isTeamBlocked) return "team_blocked";
  if (budget !== null && budget.spent >= budget.limit) return "cap_reached";
  return models.length > 0 && models.every((name) => name === NO_MODELS) ? "no_models" : "active";
}
