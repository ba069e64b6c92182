import { loadCatalog } from "@tollgate/catalog/catalog.ts";
import { providers } from "@tollgate/gateway/providers/registry.ts";
import { DEVELOPMENT_DEFAULTS } from "@tollgate/runtime/settings/development-defaults.ts";
import type { SettingsText } from "@tollgate/runtime/settings/read-files.ts";

/** A provider whose API key is set in the environment. */
export interface DetectedProvider {
  readonly name: string;
  readonly variable: string;
  readonly models: number;
}

/** Returns the providers whose default environment variable is set. Only the variable's name is ever displayed. */
export function detectProviders(env: NodeJS.ProcessEnv): readonly DetectedProvider[] {
  return [...providers.values()].flatMap(({ name, apiKeyVariable, defaultApiBase }) =>
    apiKeyVariable !== null && defaultApiBase !== null && env[apiKeyVariable]
      ? [{ name, variable: apiKeyVariable, models: loadCatalog().modelsOfProvider(name).length }]
      : [],
  );
}

const ROOMY = 100_000;

/**
 * Returns the built-in settings of a development instance: simulated models, a wildcard for each detected provider, and
 * the folder with training runs, if it exists.
 */
export function devSettings(
  detected: readonly DetectedProvider[],
  masterKey: string,
  runsDir: string | null = null,
): SettingsText {
  const names = ["sim", ...detected.map(({ name }) => name)];
  return {
    name: DEVELOPMENT_DEFAULTS,
    text: JSON.stringify({
      model_list: names.map((name) => ({
        model_name: `${name}/*`,
        litellm_params: { model: `${name}/*` },
        // Some simulated models fail on purpose, so health checks use a model that doesn't.
        ...(name === "sim" && { model_info: { health_check_model: "sim/echo" } }),
      })),
      ...(runsDir !== null && { training_settings: { runs_dir: runsDir } }),
      // Credit is counted as in production, but purchases are simulated.
      billing: { provider: "fake" },
      signUp: { mode: "open", verifyEmail: false, trustUnverifiedEmails: true },
      // Allow webhooks and providers on the same machine.
      platform: { outboundAllow: ["localhost", "127.0.0.0/8", "::1"] },
      auth: { adminTotp: "optional" },
      // Use high limits, because all tests and scripts on this machine share one IP address and often one user.
      limits: {
        requestsPerMinute: ROOMY,
        unauthenticatedRequestsPerMinute: ROOMY,
        signUpsPerHour: ROOMY,
        loginsPerMinute: ROOMY,
        resetsPerHour: ROOMY,
      },
      general_settings: {
        master_key: masterKey,
        // Prevent DNS rebinding, in which a page from another origin reaches a loopback server under the page's
        // hostname.
        allowed_hosts: ["127.0.0.1", "localhost", "[::1]"],
        // Set a default moderation model, because requests may omit the model and the production default is an OpenAI
        // model.
        ...(!names.includes("openai") && { moderation_model: "sim/moderation" }),
      },
    }),
  };
}
