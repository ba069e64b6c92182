import { loadCatalogue } from "@tollgate/catalogue/catalogue.ts";
import { priceOfModel } from "@tollgate/catalogue/price-of-model.ts";
import { KnownModels, KnownModelsQuery } from "@tollgate/contracts/management/deployment.ts";
import { describePrice } from "../catalogue/describe-model.ts";
import { operation, read } from "../operation.ts";

/** The kinds of provider there are, and what the catalogue knows of one: what a person chooses from. */
export const listKnownModels = operation({
  ...read,
  id: "listKnownModels",
  summary: "List the kinds of provider, and the models the catalogue knows of one",
  tag: "admin",
  path: "/api/admin/known-models",
  auth: "administrator",
  scope: "own",
  query: KnownModelsQuery,
  answers: { 200: { description: "Kinds, and models of the kind asked for", schema: KnownModels } },
  handle: async ({ query }, { models }) => {
    const catalogue = loadCatalogue();
    const known = query.kind === undefined ? [] : catalogue.modelsOfProvider(query.kind);
    return {
      status: 200,
      body: {
        kinds: models.kinds(),
        pricesAsOf: catalogue.pricesAsOf,
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
