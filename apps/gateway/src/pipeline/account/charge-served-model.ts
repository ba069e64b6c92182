import type { Catalog } from "@tollgate/catalog/catalog.ts";
import { Failure } from "@tollgate/contracts/failures.ts";
import type { Deployment } from "../../model-list/deployment.ts";
import { servedModel } from "../../model-list/served-model.ts";
import type { PriceBook } from "./accounting.ts";
import type { CallAccount } from "./call-account.ts";

/** Dependencies for pricing a model other than the requested one. */
export interface ServedModelContext {
  readonly catalog: Catalog;
  readonly prices: PriceBook;
  /** Called when a response names a model other than the one that was priced. */
  readonly onOtherModel: (deployment: Deployment, name: string, isPriced: boolean) => void;
}

/** Prices a call by the model that its response names, if the catalog has that model. */
export async function chargeServedModel(
  context: ServedModelContext,
  account: CallAccount,
  deployment: Deployment,
  name: string,
): Promise<void> {
  const served = servedModel(deployment, name, context.catalog);
  if (served === null) return;
  context.onOtherModel(deployment, name, served.priced !== null);
  if (served.priced === null) return;
  account.serveAs(served.priced);
  try {
    await context.prices.ensure(deployment, served.priced);
  } catch (error) {
    if (!(error instanceof Failure)) throw error;
    // The response has already been produced, so the call is charged anyway. The ledger parks the usage event until it
    // has the price.
    context.prices.ensureLater(deployment, served.priced);
  }
}
