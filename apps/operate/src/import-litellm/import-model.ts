import type { NewModelRequest } from "@tollgate/contracts/administration/model-management.ts";
import { findCatalogModel } from "@tollgate/db/catalog/models.ts";
import type { ImportOutcome } from "@tollgate/db/import/compare-record.ts";
import type { TenantTransaction } from "@tollgate/db/tenancy.ts";
import { loadEnvironment, readSecretKeys } from "@tollgate/runtime/environment.ts";
import { loadServeSettings, settingsFiles } from "@tollgate/runtime/settings/load-serve-settings.ts";
import { loadSettings } from "@tollgate/runtime/settings/load-settings.ts";
import type { Settings } from "@tollgate/runtime/settings/settings.ts";
import type { OperatorIo } from "../operator-io.ts";

export type ImportModel = (
  transaction: TenantTransaction,
  name: string,
  request: () => NewModelRequest,
) => Promise<ImportOutcome>;

/** Imports a LiteLLM model the same way as `/model/new`, with its API key encrypted under Tollgate's secret key. */
export async function createModelBringer(io: OperatorIo, now: Date): Promise<ImportModel> {
  const settings = readSettings(io);
  const secretKeys = readSecretKeys(loadEnvironment(io.env));
  const createModel = await io.apps.platform.openModelCreation({
    settings,
    secretKeys: secretKeys.kind === "keys" ? secretKeys.keys : null,
    now,
  });
  return async (transaction, name, request) => {
    const former = await findCatalogModel(transaction, name);
    // The stored API key is encrypted, so the import can't detect a changed key. To replace the key, update the model
    // in Tollgate.
    if (former !== null)
      return former.status === "disabled"
        ? { kind: "kept", reason: "the model was deleted in Tollgate" }
        : { kind: "unchanged" };
    await createModel(transaction, request());
    return { kind: "created" };
  };
}

function readSettings(io: OperatorIo): Settings {
  const files = settingsFiles(io.env);
  if (files.length > 0) return loadServeSettings(files, io.env, io.apps.gateway.knownProviders);
  const loaded = loadSettings({ files: [], env: io.env, providers: io.apps.gateway.knownProviders, cwd: io.cwd });
  if (loaded.kind === "refused") throw new Error("the default settings were rejected");
  return loaded.settings;
}
