import { RUNWAYS, type Runway } from "@tollgate/domain/figures/project-burn.ts";
import Type from "typebox";
import { NullableTime, nullable, PathId, Time, TimeInput } from "./fields.ts";
import { pageFields, repeatable } from "./lists.ts";
import { Amount, AmountInput, NullableAmount, withUsd } from "./money.ts";

const CreditStatus = Type.Union([Type.Literal("ok"), Type.Literal("exhausted"), Type.Literal("negative")], {
  description:
    "`ok`: credit is available. `exhausted`: no credit is available. `negative`: the balance is below zero and teams are blocked.",
});
const unitFields = { unit: Type.Literal("nano-USD"), currency: Type.Literal("USD") };

/** Summary of an organization's credit. */
export const Balance = withUsd({
  balance: Amount,
  held: Amount,
  available: Amount,
  ...unitFields,
  organizationId: Type.String(),
  status: CreditStatus,
  updatedAt: Time,
});

/** Full credit details. `balance` is purchased + granted + adjusted − used − refunded − expired. */
export const Quota = withUsd({
  organizationId: Type.String(),
  balance: Amount,
  held: Amount,
  available: Amount,
  totalPurchased: Amount,
  totalGranted: Amount,
  totalUsed: Amount,
  totalRefunded: Amount,
  totalExpired: Amount,
  totalAdjusted: Amount,
  lowBalanceThreshold: NullableAmount,
  status: CreditStatus,
  teams: Type.Integer(),
  blockedTeams: Type.Integer(),
  activeHolds: Type.Integer({ description: "In-flight requests, as last reported by gateways" }),
  leased: Amount,
  ...unitFields,
  version: Type.Unsafe<bigint>({ type: "integer" }),
  updatedAt: Time,
});

const KINDS = [
  "purchase",
  "grant",
  "usage",
  "usage_reversal",
  "refund",
  "dispute",
  "dispute_won",
  "expiry",
  "adjustment",
] as const;

export const CreditTransaction = withUsd({
  id: Type.String(),
  kind: Type.String({ enum: [...KINDS] }),
  amount: Amount,
  balanceAfter: Amount,
  reference: nullable(Type.String()),
  description: nullable(Type.String()),
  createdAt: Time,
});

export const TransactionQuery = Type.Object({
  ...pageFields,
  kind: Type.Optional(repeatable(Type.Unsafe<(typeof KINDS)[number]>({ type: "string", enum: [...KINDS] }))),
  startDate: Type.Optional(TimeInput),
  endDate: Type.Optional(TimeInput),
  format: Type.Unsafe<"json" | "csv">({ type: "string", enum: ["json", "csv"], default: "json" }),
});

/** A ledger line: one entry, or consecutive usage entries of one day. */
const LedgerLine = withUsd({
  id: Type.String({ description: "ID of the newest entry in the line" }),
  kind: Type.String({ enum: [...KINDS] }),
  firstAt: Time,
  lastAt: Time,
  entries: Type.Integer(),
  amount: Amount,
  balanceAfter: Amount,
  reference: nullable(Type.String()),
  description: nullable(Type.String()),
});

export const LedgerAnswer = Type.Object({
  lines: Type.Array(LedgerLine, { description: "Newest first" }),
  next: nullable(Type.String({ description: "Pass this as `before` to get older lines; null if there are none" })),
});

export const LedgerQuery = Type.Object({
  kind: Type.Optional(repeatable(Type.Unsafe<(typeof KINDS)[number]>({ type: "string", enum: [...KINDS] }))),
  before: Type.Optional(PathId),
  limit: Type.Integer({ minimum: 1, maximum: 100, default: 50 }),
});

/** Burn rate (the mean of the last seven days, the current one in part), and how long the credit lasts. */
export const Burn = withUsd({
  perDay: Amount,
  days: Type.Array(withUsd({ day: Type.String({ description: "YYYY-MM-DD in `timezone`" }), cost: Amount }), {
    description: "The last seven days, oldest first; the current day is the last",
  }),
  timezone: Type.String(),
  balance: Amount,
  held: Amount,
  available: Amount,
  runway: Type.Unsafe<Runway>({
    type: "string",
    enum: [...RUNWAYS],
    description: "`no_spend` in the last seven days, `days` as in `daysLeft`, or `over_a_year`",
  }),
  daysLeft: nullable(Type.Number({ description: "Null unless `runway` is `days`" })),
  emptyAt: NullableTime,
  lowAt: NullableTime,
  blockedSince: NullableTime,
  blockedTeams: Type.Integer(),
  pendingPurchases: Type.Array(withUsd({ id: Type.String(), amount: Amount, status: Type.String() })),
});

/** Credit granted by an administrator, or deducted if the amount is negative. */
export const ManualCreditBody = Type.Object({
  amount: AmountInput,
  reason: Type.String({ minLength: 3, maxLength: 500 }),
  expiresAt: Type.Optional(nullable(TimeInput)),
});
