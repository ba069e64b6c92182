import Type, { type Static } from "typebox";
import { nullable } from "./fields.ts";
import { PriceRule, ruleAmounts } from "./model.ts";
import { Amount, AmountInput, withUsd } from "./money.ts";

const MAX_ENTRIES = 1_000;
const MAX_RULES = 10;

/** Model group of an entry; `*` for all groups without their own entry. */
const Model = Type.String({ minLength: 1, maxLength: 200, description: "Model group, or * for all others" });
const Percentage = Type.String({
  pattern: "^-?[0-9]{1,4}(\\.[0-9]{1,4})?$",
  description: "Percentage of each rate that is added, such as 10 or -2.5; at least -100",
});

/** Rates in nano-USD that replace those of the standard price. */
const FixedPrice = Type.Object(
  {
    ...ruleAmounts,
    rules: Type.Optional(
      Type.Array(PriceRule, { maxItems: MAX_RULES, description: "Rates under conditions, such as a service tier" }),
    ),
  },
  { additionalProperties: false, description: "Rates in nano-USD that replace those of the standard price" },
);

/** An organization's prices. An entry has a percentage or a fixed price. */
export const PriceListAnswer = Type.Object({
  entries: Type.Array(
    withUsd({
      model: Model,
      percentage: nullable(Type.String()),
      fixedPerRequest: Amount,
      price: nullable(FixedPrice),
    }),
  ),
});

export const PriceListBody = Type.Object(
  {
    entries: Type.Array(
      Type.Object(
        {
          model: Model,
          percentage: Type.Optional(nullable(Percentage)),
          fixedPerRequest: Type.Optional(AmountInput),
          price: Type.Optional(nullable(FixedPrice)),
        },
        { additionalProperties: false },
      ),
      { maxItems: MAX_ENTRIES },
    ),
  },
  { additionalProperties: false },
);
export type PriceListBody = Static<typeof PriceListBody>;
