import { Failure } from "@tollgate/contracts/failures.ts";
import type { NanoUsd } from "@tollgate/domain/money.ts";
import { priceCall } from "@tollgate/domain/pricing/price-call.ts";
import type { Usage } from "@tollgate/domain/pricing/usage.ts";
import type { Deployment } from "../../model-list/deployment.ts";
import type { Call } from "../call.ts";

/** A price and the name the ledger knows it by; null is unpriced, which is not the same as free. */
export interface Priced extends Pick<Deployment, "price" | "priceVersionId"> {
  /** The model that the price belongs to; the deployment's own when left out. A deployment is a `Priced`, too. */
  readonly pricedModel?: string;
}

/** What a call costs at a deployment: its one price, unless the operation prices some requests apart. */
export function pricedAs(call: Call, deployment: Deployment): Priced {
  return call.kind.pricedAs?.(call, deployment) ?? deployment;
}

/** What the call costs at a price; an unpriced deployment is worth nothing here. */
export function costOf({ price }: Priced, usage: Usage): NanoUsd {
  return price === null ? 0n : priceCall(usage, price);
}

/** The refusal of a call that nobody could charge for. */
export function priceMissing({ model }: Call): Failure {
  return new Failure("price_missing", `No price is configured for model '${model.shownName}'.`, {
    fix: "Set input_cost_per_token and output_cost_per_token on the deployment, or set them to 0 to make the model free.",
  });
}
