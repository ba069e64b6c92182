import { billingUnits } from "@tollgate/domain/pricing/billing-units.ts";
import type { CostUnit } from "@tollgate/domain/pricing/list-cost-lines.ts";
import Type, { type Static } from "typebox";
import { NullableTime, nullable, Time } from "./fields.ts";
import { Amount, NullableAmount, withUsd } from "./money.ts";
import { CallLog } from "./usage.ts";

/** Billing units of a call. Audio tokens are counted separately from other tokens. */
const costUnits: readonly CostUnit[] = billingUnits.map(({ costLine }) => costLine);

/** One billing unit of a call: count, rate, and amount. The amounts of all lines add up to the cost. */
const CostLine = withUsd({
  unit: Type.Unsafe<CostUnit>({ type: "string", enum: costUnits }),
  count: Type.Number(),
  ratePerMillion: NullableAmount,
  amount: Amount,
});

/** Availability of a call's request and response contents. */
const contentStates = ["kept", "off", "expired", "not_captured"] as const;
export type ContentState = (typeof contentStates)[number];

/** Reason for a refusal, and a fix. Shows the limit's current state, not its state when the call was refused. */
const Refusal = Type.Object({
  code: Type.String(),
  message: Type.String(),
  limit: nullable(
    Type.Object({
      kind: Type.String(),
      ownerType: Type.String(),
      ownerName: Type.String(),
      current: Type.String(),
      maximum: Type.String(),
      resetsAt: NullableTime,
    }),
  ),
  fix: nullable(Type.String()),
});
export type CallRefusal = Static<typeof Refusal>;

export const CallLogDetail = Type.Object({
  log: Type.Object({
    ...CallLog.properties,
    content: nullable(Type.Object({ request: Type.String(), answer: Type.String(), truncated: Type.Boolean() })),
    contentState: Type.Unsafe<ContentState>({ type: "string", enum: contentStates }),
    costLines: Type.Array(CostLine),
    price: nullable(
      Type.Object({
        versionId: Type.String(),
        source: Type.String({ description: "The provider and model that the price belongs to" }),
        effectiveFrom: Time,
      }),
    ),
    route: Type.Object({
      attempts: Type.Integer(),
      fallbackFrom: nullable(Type.String()),
      deploymentId: nullable(Type.String()),
      provider: nullable(Type.String()),
    }),
    refusal: nullable(Refusal),
  }),
});
