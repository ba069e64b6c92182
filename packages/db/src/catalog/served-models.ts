import type { Database } from "../connect.ts";
import { type CatalogModel, listCatalogModels } from "./models.ts";

/** A model as served by a gateway. */
export interface ServedModel extends CatalogModel {
  readonly baseUrl: string | null;
  /** Encrypted; null if the provider needs no credential. */
  readonly sealedApiKey: string | null;
}

/** Lists every callable model with its provider's encrypted credential. */
export async function listServedModels(db: Database): Promise<readonly ServedModel[]> {
  // Use one snapshot, so that a model's URL and credential always belong together.
  return db
    .transaction()
    .setIsolationLevel("repeatable read")
    .execute(async (transaction) => {
      const models = await listCatalogModels(transaction);
      const providers = await transaction
        .selectFrom("providers as provider")
        .leftJoin("provider_credentials as credential", "credential.provider_id", "provider.id")
        .select(["provider.id", "provider.base_url", "credential.api_key"])
        .where("provider.deleted_at", "is", null)
        .execute();
      const byId = new Map(providers.map((provider) => [provider.id, provider]));
      return models.flatMap((model) => {
        const provider = byId.get(model.providerId);
        if (provider === undefined || model.status === "disabled") return [];
        return [{ ...model, baseUrl: provider.base_url, sealedApiKey: provider.api_key }];
      });
    });
}
