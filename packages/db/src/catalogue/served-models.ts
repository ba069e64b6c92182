import type { Database } from "../connect.ts";
import { type CatalogModel, listCatalogModels } from "./models.ts";

/** A model as a gateway serves it. */
export interface ServedModel extends CatalogModel {
  readonly baseUrl: string | null;
  /** Sealed; null when its provider needs none. */
  readonly sealedApiKey: string | null;
}

/** Every model that may be called, with the sealed credential of its provider. */
export async function listServedModels(db: Database): Promise<readonly ServedModel[]> {
  // One snapshot, or a model could come with the address of one moment and the credential of another.
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
