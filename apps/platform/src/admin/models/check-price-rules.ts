import { invalidField } from "@tollgate/contracts/management/failure.ts";
import type { ModelParams } from "@tollgate/contracts/management/model.ts";
import { InvalidPriceRule, readStoredPriceRules } from "@tollgate/domain/pricing/stored-price-rules.ts";

/** Rejects price rules that the gateway can't use. */
export function checkPriceRules(params: ModelParams | undefined): void {
  if (params?.priceRules === undefined) return;
  try {
    readStoredPriceRules(params.priceRules);
  } catch (error) {
    if (!(error instanceof InvalidPriceRule)) throw error;
    const place = error.field === "" ? "params.priceRules" : `params.priceRules.${error.field}`;
    throw invalidField(place, error.message);
  }
}
