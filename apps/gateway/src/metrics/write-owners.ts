import type { RateLimiter } from "../limits/rate-limiter.ts";
import type { GatewayMetrics } from "./gateway-metrics.ts";
import type { MetricsText } from "./metrics-text.ts";
import type { BudgetState, FreeBudget } from "./seen-budgets.ts";
import { SeriesFamily } from "./series-family.ts";

/** Data sources for callers' remaining budgets and limits. */
export interface OwnerSources {
  readonly freeBudget: FreeBudget;
  readonly limits: Pick<RateLimiter, "limitsOf" | "leftOf">;
  /** Unix time in milliseconds. */
  readonly wallClock: () => number;
}

/**
 * Budget scopes by their names in metrics. There can be many key and user budgets, so they are written only if their
 * labels are enabled.
 */
const budgetOwners = { api_key: "key", team: "team", org: "organization", user: "user" } as const;

/** Writes callers' remaining budgets. */
export async function writeBudgets(text: MetricsText, metrics: GatewayMetrics, sources: OwnerSources): Promise<void> {
  for (const [name, scope] of Object.entries(budgetOwners) as [keyof typeof budgetOwners, BudgetOwner][]) {
    if ((scope === "key" || scope === "user") && !metrics.wideLabels.includes(scope)) continue;
    const family = new SeriesFamily<{ state: BudgetState | null }>(["id", "alias"], () => ({ state: null }));
    for (const state of metrics.budgets.statesOf(scope, sources.freeBudget, sources.wallClock())) {
      family.get([state.id, state.alias]).state = state;
    }
    const gauges = [
      [`gw_remaining_${name}_budget_metric`, "remaining"],
      [`gw_${name}_max_budget_metric`, "maximum"],
      [`gw_${name}_budget_remaining_hours_metric`, "remainingHours"],
    ] as const;
    for (const [gauge, field] of gauges) {
      await text.values(gauge, family.entries(), ({ state }) => state?.[field] ?? null);
    }
  }
}

type BudgetOwner = (typeof budgetOwners)[keyof typeof budgetOwners];

/** Writes the remaining per-model limits of keys, if the key label is enabled. */
export async function writeKeyLimits(text: MetricsText, metrics: GatewayMetrics, sources: OwnerSources): Promise<void> {
  if (!metrics.wideLabels.includes("key")) return;
  for (const kind of ["requests", "tokens"] as const) {
    const family = new SeriesFamily<{ left: number | null }>(["key", "model"], () => ({ left: null }));
    for (const { keyId, model, left } of metrics.keyLimits.leftOf(kind, sources.limits)) {
      family.get([keyId, model]).left = left;
    }
    await text.values(`gw_remaining_api_key_${kind}_for_model`, family.entries(), ({ left }) => left);
  }
}
