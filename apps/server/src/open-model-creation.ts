import { servedModels } from "@tollgate/gateway/adapters/served-models.ts";
import type { PlatformRules } from "@tollgate/operate/operator-io.ts";
import { createModelSource } from "@tollgate/platform/catalog/create-model-source.ts";
import { createModel } from "@tollgate/platform/litellm/manage-models.ts";
import { readModelPatch } from "@tollgate/platform/litellm/model-patch.ts";
import { resolveHost } from "@tollgate/runtime/resolve-host.ts";
import { createSecretBox } from "@tollgate/runtime/secret-box.ts";

const manager = {
  keyId: "import",
  isMaster: true,
  userId: null,
  teamId: null,
  organizationId: null,
  allowedRoutes: null,
  requestId: "import",
};

/** Returns a function that creates a model the same way as `/model/new` does for the master key. */
export const openModelCreation: PlatformRules["openModelCreation"] = async ({ settings, secretKeys, now }) => {
  const services = {
    models: createModelSource(servedModels, () => settings),
    now: () => now,
    secrets: secretKeys === null ? null : createSecretBox(secretKeys),
    settings: () => settings.platform,
    resolveHost,
  };
  const { limits, usage } = settings.platform;
  return async (transaction, request) => {
    const acting = { transaction, manager, member: null, now, limits, retentionDays: usage.retentionDays };
    await createModel(acting, readModelPatch(request), services);
  };
};
