import { billingUnits, mapPrices, type OptionalPrices } from "@tollgate/domain/pricing/billing-units.ts";
import { type RawBuilder, type Selectable, sql } from "kysely";
import type { Tables } from "../tables.generated.ts";

type PriceRow = Selectable<Tables["price_versions"]>;
type PriceColumn = (typeof billingUnits)[number]["priceColumn"];

/** Returns the counters of a row of calls or lost attempts, in the order of the parameters of `price_of_call`. */
export function counterColumns(row: string): RawBuilder<unknown> {
  return sql.join(billingUnits.map(({ column }) => sql.ref(`${row}.${column}`)));
}

/** Reads the prices of a price version; null for units without a price. */
export function readUnitPrices(row: { readonly [column in PriceColumn]: PriceRow[column] | null }): OptionalPrices {
  return mapPrices(({ priceColumn }) => row[priceColumn]);
}
