import type { NanoUsd } from "@tollgate/domain/money.ts";
import Type, { type Static } from "typebox";
import { nullable, Time } from "./fields.ts";
import { Amount, AmountInput, Usd, usdOf } from "./money.ts";

const BudgetPeriod = Type.Union(
  [Type.Literal("none"), Type.Literal("daily"), Type.Literal("weekly"), Type.Literal("monthly")],
  { description: "In UTC; a week starts on Monday" },
);

/** Budget period in a response. Budgets created through the gateway API may have other periods. */
const ShownPeriod = Type.Union([...BudgetPeriod.anyOf, Type.Literal("other")], {
  description: "In UTC; a week starts on Monday. `other`: a different length; `resetsAt` is when it resets",
});
const shownPeriods = new Map([
  ["none", "none"],
  ["daily", "daily"],
  ["24h", "daily"],
  ["weekly", "weekly"],
  ["monthly", "monthly"],
]);

/** A spending limit and its usage. `limit` = `spent` + `held` + `remaining`, unless the budget is overspent. */
export const Budget = Type.Object({
  limit: Amount,
  period: ShownPeriod,
  spent: Amount,
  held: Type.Unsafe<NanoUsd>({
    type: "integer",
    description: "nano-USD leased to gateways for current and upcoming requests; unused amounts are returned",
  }),
  remaining: Amount,
  resetsAt: nullable(Time),
  usd: Usd,
});

/** A budget in a request. Without a limit, there is no budget. */
export const BudgetInput = Type.Object({
  limit: nullable(AmountInput),
  period: Type.Optional(BudgetPeriod),
});

export type BudgetInput = Static<typeof BudgetInput>;

/** State of a budget, independent of storage. */
export interface BudgetState {
  readonly limit: NanoUsd;
  readonly period: string;
  readonly spent: NanoUsd;
  readonly held: NanoUsd;
  readonly resetsAt: Date | null;
}

/** Converts a record's budget to its response format. Returns null if the record has no budget. */
export function toBudget(state: BudgetState | null): object | null {
  if (state === null) return null;
  const { limit, spent, held, resetsAt } = state;
  const period = shownPeriods.get(state.period) ?? "other";
  const left = limit - spent - held;
  const remaining = left > 0n ? left : 0n;
  return { limit, period, spent, held, remaining, resetsAt, usd: usdOf({ limit, spent, held, remaining }) };
}

const Limit = nullable(Type.Integer({ minimum: 0, maximum: 2_147_483_647 }));

/** Requests and tokens per minute, and max concurrent requests; null means unlimited. */
export const RateLimit = Type.Object({ rpm: Limit, tpm: Limit, maxParallel: Limit });

/** Limits in a request. Omitted fields don't change. */
export const RateLimitInput = Type.Object({
  rpm: Type.Optional(Limit),
  tpm: Type.Optional(Limit),
  maxParallel: Type.Optional(Limit),
});

export type RateLimitInput = Static<typeof RateLimitInput>;

/** A record's models in a request or response; null means all. */
export const Models = nullable(Type.Array(Type.String({ minLength: 1, maxLength: 200 }), { maxItems: 500 }));
