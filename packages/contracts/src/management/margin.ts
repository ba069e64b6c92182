import Type, { type Static } from "typebox";
import { Time, TimeInput } from "./fields.ts";
import { Amount, withUsd } from "./money.ts";

const marginGroupings = ["model", "provider", "organization", "day"] as const;

export const MarginQuery = Type.Object({
  startDate: Type.Optional(TimeInput),
  endDate: Type.Optional(TimeInput),
  groupBy: Type.Optional(Type.Enum(marginGroupings)),
});

const sums = {
  requests: Type.Integer(),
  /** Amount that customers paid. */
  revenue: Amount,
  /** Amount that providers charge for the same usage. */
  providerCost: Amount,
  /** Revenue minus provider cost. */
  margin: Amount,
};

/** Gross margin of a period, by one property of the requests. */
export const Margins = Type.Object({
  startDate: Time,
  endDate: Time,
  groupBy: Type.Enum(marginGroupings),
  data: Type.Array(withUsd({ group: Type.String(), name: Type.String(), ...sums })),
  totals: withUsd(sums),
});
export type Margins = Static<typeof Margins>;
