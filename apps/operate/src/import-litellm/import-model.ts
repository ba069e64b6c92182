import { findCatalogModel } from "@tollgate/db/catalog/models.ts";
import type { ImportOutcome } from "@tollgate/db/import/compare-record.ts";
import type { TenantTransaction } from "@tollgate/db/tenancy.ts";
import type { ModelPatch } from "@tollgate/gateway/management/management.ts";
import { resolveHost } from "@tollgate/runtime/resolve-host.ts";
import { createSecretBox } from "@tollgate/runtime/secret-box.ts";
import { loadSettings } from "@tollgate/runtime/settings/load-settings.ts";
import type { Settings } from "@tollgate/runtime/settings/settings.ts";
import { createModelSource } from "../../create-model-source.ts";
import { loadEnvironment, readSecretKeys } from "../../environment.ts";
import { loadServeSettings, settingsFiles } from "../../load-serve-settings.ts";
import { createModel } from "../../management/manage-models.ts";
import type { Io } from "../exit.ts";
import { knownProviders } from "../known-providers.ts";

export type ImportModel = (
  transaction: TenantTransaction,
  name: string,
  patch: () => ModelPatch,
) => Promise<ImportOutcome>;

/** Imports a LiteLLM model the same way as `/model/new`, with its API key encrypted under Tollgate's secret key. */
export function createModelBringer(io: Io, now: Date): ImportModel {
  const settings = readSettings(io);
  const secretKeys = readSecretKeys(loadEnvironment(io.env));
  const services = {
    models: createModelSource(() => settings),
    now: () => now,
    secrets: secretKeys.kind === "keys" ? createSecretBox(secretKeys.keys) : null,
    settings: () => settings.platform,
    resolveHost,
  };
  const manager = {
    keyId: "import",
    isMaster: true,
    userId: null,
    teamId: null,
    organizationId: null,
    allowedRoutes: null,
    requestId: "import",
  };
  const { limits, usage } = settings.platform;
  return async (transaction, name, patch) => {
    const former = await findCatalogModel(transaction, name);
    // The stored API key is encrypted, so the import can't detect a changed key. To replace the key, update the model
    // in Tollgate.
    if (former !== null)
      return former.status === "disabled"
        ? { kind: "kept", reason: "the model was deleted in Tollgate" }
        : { kind: "unchanged" };
    const acting = { transaction, manager, member: null, now, limits, retentionDays: usage.retentionDays };
    await createModel(acting, patch(), services);
    return { kind: "created" };
  };
}

function readSettings(io: Io): Settings {
  const files = settingsFiles(io.env);
  if (files.length > 0) return loadServeSettings(files, io.env);
  const loaded = loadSettings({ files: [], env: io.env, providers: knownProviders, cwd: io.cwd });
  if (loaded.kind === "refused") throw new Error("the default settings were rejected");
  return loaded.settings;
}
