import { loadCatalog } from "@tollgate/catalog/catalog.ts";
import { priceOfModel } from "@tollgate/catalog/price-of-model.ts";
import { KnownModels, KnownModelsQuery } from "@tollgate/contracts/management/deployment.ts";
import { describePrice } from "../catalog/describe-model.ts";
import { operation, read } from "../operation.ts";

/** Lists the provider kinds and the catalog models of one kind, as options for the deployment form. */
export const listKnownModels = operation({
  ...read,
  id: "listKnownModels",
  summary: "List provider kinds and the catalog models of one kind",
  tag: "admin",
  path: "/api/admin/known-models",
  auth: "administrator",
  scope: "own",
  query: KnownModelsQuery,
  answers: { 200: { description: "Provider kinds, and the models of the requested kind", schema: KnownModels } },
  handle: async ({ query }, { models }) => {
    const catalog = loadCatalog();
    const known = query.kind === undefined ? [] : catalog.modelsOfProvider(query.kind);
    return {
      status: 200,
      body: {
        kinds: models.kinds(),
        pricesAsOf: catalog.pricesAsOf,
        models: known.map((each) => ({
          model: each.model,
          mode: each.mode,
          contextWindow: each.maxInputTokens,
          deprecatedOn: each.deprecatedOn,
          pricing: describePrice(priceOfModel(each)),
        })),
      },
    };
  },
});
