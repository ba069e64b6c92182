import Type, { type Static } from "typebox";
import { Time, TimeInput } from "./fields.ts";
import { Amount, withUsd } from "./money.ts";

export const ReconciliationQuery = Type.Object({
  startDate: Type.Optional(TimeInput),
  endDate: Type.Optional(TimeInput),
});

/** The cost of the same calls according to three independently written sources. */
export const ReconciliationStrip = withUsd({
  rollups: withUsd({ cost: Amount, buckets: Type.Integer() }),
  logs: withUsd({ cost: Amount, rows: Type.Integer() }),
  ledger: withUsd({ cost: Amount, postings: Type.Integer() }),
  unbilled: Amount,
  difference: Amount,
  checkedAt: Time,
  meta: Type.Object(
    { startDate: Time, endDate: Time },
    { description: "The compared time range, in full quarter hours" },
  ),
});
export type ReconciliationStrip = Static<typeof ReconciliationStrip>;
