import Type, { type Static } from "typebox";
import { NullableTime, nullable, Time, TimeInput } from "./fields.ts";
import { pageFields, repeatable } from "./lists.ts";
import { Amount, AmountInput, withUsd } from "./money.ts";

const STATUSES = ["pending", "processing", "paid", "failed", "expired", "refunded", "disputed", "review"] as const;
const OUTCOMES = [
  "paid",
  "processing",
  "failed",
  "expired",
  "refunded",
  "partially_refunded",
  "disputed",
  "dispute_won",
  "dispute_lost",
] as const;

export type SimulatedOutcome = (typeof OUTCOMES)[number];

const STEPS = ["created", "awaiting_payment", "paid", "credited", "failed", "expired", "refunded"] as const;

/** A step in a purchase. Future steps have no time. */
export const PurchaseStep = Type.Object({
  state: Type.Unsafe<(typeof STEPS)[number]>({ type: "string", enum: [...STEPS] }),
  at: NullableTime,
  reference: nullable(Type.String({ description: "Its ID at the payment provider or in the ledger" })),
});
export type PurchaseStep = Static<typeof PurchaseStep>;

export const Purchase = withUsd({
  id: Type.String(),
  organizationId: Type.String(),
  amount: Amount,
  fee: Amount,
  tax: Amount,
  currency: Type.String(),
  provider: Type.String({ enum: ["stripe", "fake", "manual"] }),
  status: Type.String({ enum: [...STATUSES] }),
  providerSessionId: nullable(Type.String()),
  providerPaymentId: nullable(Type.String()),
  receiptUrl: nullable(Type.String()),
  invoiceUrl: nullable(Type.String()),
  createdBy: Type.Object({ id: Type.Integer(), name: nullable(Type.String()) }),
  createdAt: Time,
  paidAt: NullableTime,
  refunded: Amount,
  shortfall: Type.Unsafe<bigint>({
    type: "integer",
    description: "nano-USD still needed to reach a balance of zero; teams stay blocked until this is 0",
  }),
  timeline: Type.Array(PurchaseStep, { description: "In order; future steps have no time" }),
  transactionId: nullable(Type.String({ description: "The ledger entry that credited the purchase" })),
  unblockedTeams: Type.Integer({ description: "Number of teams that the credit unblocked" }),
});

const ReturnUrl = Type.String({ minLength: 8, maxLength: 2_000 });

export const NewPurchaseBody = Type.Object({
  amount: AmountInput,
  successUrl: Type.Optional(ReturnUrl),
  cancelUrl: Type.Optional(ReturnUrl),
});

export const OpenedPurchase = Type.Object({ purchase: Purchase, checkoutUrl: Type.String() });

export const PurchaseQuery = Type.Object({
  ...pageFields,
  status: Type.Optional(repeatable(Type.Unsafe<(typeof STATUSES)[number]>({ type: "string", enum: [...STATUSES] }))),
  startDate: Type.Optional(TimeInput),
  endDate: Type.Optional(TimeInput),
});

export const SimulateBody = Type.Object({
  outcome: Type.Unsafe<SimulatedOutcome>({ type: "string", enum: [...OUTCOMES] }),
});
