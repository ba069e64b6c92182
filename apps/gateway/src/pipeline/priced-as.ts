import type { Deployment } from "../model-list/deployment.ts";
import type { Call } from "./call.ts";
import type { Priced } from "./record-usage.ts";

/** What a call costs at a deployment: its one price, unless the operation prices some requests apart. */
export function pricedAs(call: Call, deployment: Deployment): Priced {
  return call.kind.pricedAs?.(call, deployment) ?? deployment;
}
