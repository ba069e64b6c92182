import Type from "typebox";
import { Nullable } from "../nullable.ts";

export const nullableText = Type.Union([Type.String(), Type.Null()]);
export const nullableInteger = Type.Union([Type.Integer(), Type.Null()]);
const nullableNumber = Type.Union([Type.Number(), Type.Null()]);

/** A number, or the number as text, because long numbers lose digits in JSON. */
const Decimal = {
  anyOf: [
    { type: "number", minimum: 0 },
    { type: "string", pattern: "^[0-9.eE+-]+$" },
  ],
};

/** An amount in USD, parsed digit by digit. */
const UsdInput = Type.Unsafe<number | string>({
  ...Decimal,
  description: "USD, as a number or a string, with at most nine decimal places.",
});

/** Prices are more precise than amounts: exact to the pico-USD. */
export const UsdPriceInput = Type.Unsafe<number | string>({
  ...Decimal,
  description: "USD per unit, as a number or a string, such as 2.5e-06.",
});

export const Duration = Type.String({
  pattern: "^[1-9][0-9]{0,5}(s|m|h|d|w|mo)$",
  description: "A period such as 30s, 30m, 24h, 7d, or 1mo.",
});

const Text = Type.String({ minLength: 1, maxLength: 200 });
const Limit = Type.Integer({ minimum: 0, maximum: 2_147_483_647 });
export const TextList = Type.Array(Text, { maxItems: 500 });
export const TextMap = Type.Record(Text, Text);
const LimitMap = Type.Record(Text, Limit);
/** Client-defined data stored with a record. The gateway doesn't use it. */
const Metadata = Type.Record(Type.String({ maxLength: 200 }), Type.Unknown());

/** Limits of a key or a team. Both use the same field names. Null removes a limit. */
export const limitFields = {
  models: Nullable(TextList),
  max_budget: Nullable(UsdInput),
  budget_duration: Nullable(Duration),
  rpm_limit: Nullable(Limit),
  tpm_limit: Nullable(Limit),
  max_parallel_requests: Nullable(Limit),
  model_rpm_limit: Nullable(LimitMap),
  model_tpm_limit: Nullable(LimitMap),
  metadata: Nullable(Metadata),
  tags: Nullable(TextList),
  guardrails: Nullable(TextList),
  blocked: Nullable(Type.Boolean()),
};

/** Limits in a response. */
export const shownLimits = {
  models: Type.Array(Type.String()),
  spend: Type.Number({ description: "USD spent in the current budget period, or in total if there is no period." }),
  max_budget: nullableNumber,
  budget_duration: nullableText,
  budget_reset_at: nullableText,
  rpm_limit: nullableInteger,
  tpm_limit: nullableInteger,
  max_parallel_requests: nullableInteger,
  model_rpm_limit: Type.Record(Type.String(), Type.Integer()),
  model_tpm_limit: Type.Record(Type.String(), Type.Integer()),
  metadata: Metadata,
  tags: Type.Array(Type.String()),
  guardrails: Type.Array(Type.String()),
  blocked: Type.Boolean(),
  created_at: Type.String(),
  updated_at: Type.String(),
};

/** Keeps the original text of numbers that JSON would round, so that readers can parse the digits. */
export const exactBody = { additionalProperties: true, "x-exact-numbers": true } as const;

const Page = Type.Integer({ minimum: 1, maximum: 10_000 });
const Size = Type.Integer({ minimum: 1, maximum: 100 });

/** Page parameters, with the names that most lists use. */
export const pageParameters = { page: Type.Optional(Page), page_size: Type.Optional(Size) };
/** Page parameters for lists that name the page size `size`. */
export const sizedPageParameters = { page: Type.Optional(Page), size: Type.Optional(Size) };
