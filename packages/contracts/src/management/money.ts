import type { NanoUsd } from "@tollgate/domain/money.ts";
import Type, { type TSchema } from "typebox";

/** Nano-USD in a response: an integer with all its digits, however large. */
export const Amount = Type.Unsafe<NanoUsd>({ type: "integer", format: "int64", description: "nano-USD" });
export const NullableAmount = Type.Union([Amount, Type.Null()]);

/**
 * Nano-USD in a request: an integer that JSON represents exactly, or its digits as text. The body reader converts it to
 * a bigint, or rejects it, before the handler runs.
 */
export const AmountInput = Type.Unsafe<NanoUsd>({
  anyOf: [
    { type: "integer", format: "int64" },
    { type: "string", pattern: "^-?[0-9]{1,19}$" },
  ],
  description: "nano-USD, as an integer up to 2^53 - 1 or as a string of digits",
  "x-amount": true,
});

/** A record's amounts as decimal text with nine decimal places, by field name. */
export const Usd = Type.Record(Type.String(), Type.String(), {
  description: "The amounts of this object in USD, with nine decimal places",
});

/** Returns a record's `usd` field: its amounts as text, without null amounts. */
export function usdOf(amounts: Readonly<Record<string, NanoUsd | null>>): Record<string, string> {
  const known = Object.entries(amounts).filter((entry): entry is [string, NanoUsd] => entry[1] !== null);
  return Object.fromEntries(known.map(([name, amount]) => [name, toUsdText(amount)]));
}

/** Formats nano-USD as USD with exactly nine decimal places. The digits are the same as in the nano-USD amount. */
export function toUsdText(amount: NanoUsd): string {
  const digits = (amount < 0n ? -amount : amount).toString().padStart(10, "0");
  return `${amount < 0n ? "-" : ""}${digits.slice(0, -9)}.${digits.slice(-9)}`;
}

/** Returns the schema of a record with amounts: its fields, and `usd`. */
export function withUsd<Fields extends Record<string, TSchema>>(fields: Fields) {
  return Type.Object({ ...fields, usd: Usd });
}
