import { Failure } from "@tollgate/contracts/failures.ts";
import type { NanoUsd } from "@tollgate/domain/money.ts";
import { priceCall } from "@tollgate/domain/pricing/price-call.ts";
import type { Usage } from "@tollgate/domain/pricing/usage.ts";
import type { Deployment } from "../../model-list/deployment.ts";
import type { Call } from "../call.ts";

/**
 * A price and its version ID in the ledger. A null price means that no price is configured. It doesn't mean that the
 * model is free.
 */
export interface Priced extends Pick<Deployment, "price" | "priceVersionId"> {
  /** The model that the price belongs to. Defaults to the deployment's model. A deployment is itself a `Priced`. */
  readonly pricedModel?: string;
}

/** Returns the price of a call on a deployment. Some operations price certain requests separately. */
export function pricedAs(call: Call, deployment: Deployment): Priced {
  return call.kind.pricedAs?.(call, deployment) ?? deployment;
}

/** Returns the cost of a call at a price; 0 if the deployment is unpriced. */
export function costOf({ price }: Priced, usage: Usage): NanoUsd {
  return price === null ? 0n : priceCall(usage, price);
}

/** Creates the refusal for a call that can't be charged because its model has no price. */
export function priceMissing({ model }: Call): Failure {
  return new Failure("price_missing", `No price is configured for model '${model.shownName}'.`, {
    fix: "Set input_cost_per_token and output_cost_per_token on the deployment, or set them to 0 to make the model free.",
  });
}
