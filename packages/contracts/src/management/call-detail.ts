import type { CostUnit } from "@tollgate/domain/pricing/list-cost-lines.ts";
import Type, { type Static } from "typebox";
import { NullableTime, nullable, Time } from "./fields.ts";
import { Amount, NullableAmount, withUsd } from "./money.ts";
import { CallLog } from "./usage.ts";

/** What a call is charged by. Audio tokens are counted apart from the other tokens. */
const costUnits: readonly CostUnit[] = [
  "input",
  "cached_input",
  "cache_write",
  "output",
  "reasoning",
  "audio_input",
  "audio_output",
  "image",
  "audio_second",
  "character",
  "search",
];

/** One kind of unit of a call: so many, at that rate, make that amount. The amounts of all lines sum up to the cost. */
const CostLine = withUsd({
  unit: Type.Unsafe<CostUnit>({ type: "string", enum: costUnits }),
  count: Type.Number(),
  ratePerMillion: NullableAmount,
  amount: Amount,
});

/** Why what was asked and answered is there, or is not. */
const contentStates = ["kept", "off", "expired", "not_captured"] as const;
export type ContentState = (typeof contentStates)[number];

/** Why a call was refused, and what helps. The limit is as it is now, not as it was then. */
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
