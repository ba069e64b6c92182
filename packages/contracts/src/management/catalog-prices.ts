import Type, { type Static } from "typebox";
import { nullable, Time } from "./fields.ts";
import { NullableAmount, withUsd } from "./money.ts";

const priceChoices = ["higher", "first", "second"] as const;

/** A price that the catalog's sources disagree about. Amounts are nano-USD per million units. */
const DisputedPrice = withUsd({
  /** Such as `input`, or `inputAbove200000` for long prompts. */
  field: Type.String(),
  first: NullableAmount,
  second: NullableAmount,
  /** The amount that applies to requests; null if none does. */
  applied: NullableAmount,
});

const DisputedModel = Type.Object({
  model: Type.String(),
  /** Model groups whose deployments use this price. */
  usedBy: Type.Array(Type.String()),
  /** True if requests are refused until the price is confirmed. */
  refused: Type.Boolean(),
  prices: Type.Array(DisputedPrice),
});

/** The model catalog: the edition in effect, applied editions, and disputed prices. */
export const CatalogPrices = Type.Object({
  edition: Type.String(),
  /** Date of the prices, as YYYY-MM-DD. */
  pricesAsOf: Type.String(),
  sources: Type.Array(
    Type.Object({ id: Type.String(), name: Type.String(), url: nullable(Type.String()), asOf: Type.String() }),
  ),
  /** Applied editions, the latest first. */
  history: Type.Array(
    Type.Object({
      edition: Type.String(),
      pricesAsOf: Type.String(),
      sha256: Type.String(),
      /** ID of the key that signed the edition; null if it is unsigned. */
      signedBy: nullable(Type.String()),
      origin: Type.String(),
      pinned: Type.Boolean(),
      appliedAt: Time,
    }),
  ),
  disputes: Type.Array(DisputedModel),
});
export type CatalogPrices = Static<typeof CatalogPrices>;

export const ConfirmPriceBody = Type.Object(
  {
    model: Type.String({ minLength: 1, maxLength: 300 }),
    choice: Type.Enum(priceChoices, { description: "Amounts to use: the higher ones, or those of one source" }),
  },
  { additionalProperties: false },
);
