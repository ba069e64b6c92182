import { loadCatalog } from "@tollgate/catalog/catalog.ts";
import { providers } from "@tollgate/gateway/providers/registry.ts";
import { DEVELOPMENT_DEFAULTS } from "@tollgate/runtime/settings/development-defaults.ts";
import type { SettingsText } from "@tollgate/runtime/settings/read-files.ts";
import { demoModelSettings } from "../demo/demo-models.ts";

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

interface DevSettingsOptions {
  readonly masterKey: string;
  /** Folder with training runs; null if there is none. */
  readonly runsDir?: string | null;
  /** URL of the provider of the demo's models; null without a demo. */
  readonly demoUrl?: string | null;
}

/**
 * Returns the built-in settings of a development instance: simulated models, a wildcard for each detected provider, and
 * what the options add.
 */
export function devSettings(
  detected: readonly DetectedProvider[],
  { masterKey, runsDir = null, demoUrl = null }: DevSettingsOptions,
): SettingsText {
  const demo = demoUrl === null ? null : demoModelSettings(demoUrl);
  const names = ["sim", ...detected.map(({ name }) => name)];
  return {
    name: DEVELOPMENT_DEFAULTS,
    text: JSON.stringify({
      model_list: [
        ...(demo?.modelList ?? []),
        ...names.map((name) => ({
          model_name: `${name}/*`,
          litellm_params: { model: `${name}/*` },
          // Some simulated models fail on purpose, so health checks use a model that doesn't.
          ...(name === "sim" && { model_info: { health_check_model: "sim/echo" } }),
        })),
      ],
      ...(demo !== null && { router_settings: { fallbacks: demo.fallbacks } }),
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
        // The link to the models must open without a sign-in.
        enable_public_model_hub: true,
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
