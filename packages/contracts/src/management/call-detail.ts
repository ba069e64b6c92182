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

/** Reason why a request was refused or rejected, and a fix. The limit is as it was at the time of the request. */
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
  param: nullable(Type.String({ description: "The invalid request field" })),
  requestedModel: nullable(Type.String({ description: "The model as the client named it" })),
  facts: nullable(
    Type.Record(Type.String(), Type.Unknown(), {
      description: "What the gateway recorded about the outcome; null for requests from before it recorded any",
    }),
  ),
});
export type CallRefusal = Static<typeof Refusal>;

export const CallLogDetail = Type.Object({
  log: Type.Object({
    ...CallLog.properties,
    content: nullable(Type.Object({ request: Type.String(), answer: Type.String(), truncated: Type.Boolean() })),
    contentState: Type.Unsafe<ContentState>({ type: "string", enum: contentStates }),
    costLines: Type.Array(CostLine),
    promptCache: nullable(
      withUsd({
        hitRate: nullable(
          Type.Number({ description: "Share of input tokens that were read from the cache, from 0 to 1" }),
        ),
        saved: Amount,
      }),
    ),
    price: nullable(
      Type.Object({
        versionId: Type.String(),
        source: Type.String({ description: "The provider and model that the price belongs to" }),
        condition: nullable(
          Type.String({ description: "What the provider served at this price, such as `service tier priority`" }),
        ),
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
