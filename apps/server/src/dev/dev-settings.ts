import { loadCatalog } from "@tollgate/catalogue/catalogue.ts";
import { providers } from "@tollgate/gateway/providers/registry.ts";
import type { SettingsText } from "@tollgate/runtime/settings/read-files.ts";

/** A provider whose key stands in the environment. */
export interface DetectedProvider {
  readonly name: string;
  readonly variable: string;
  readonly models: number;
}

/** The providers whose usual variable is set. Only the variable's name is ever shown. */
export function detectProviders(env: NodeJS.ProcessEnv): readonly DetectedProvider[] {
  return [...providers.values()].flatMap(({ name, apiKeyVariable, defaultApiBase }) =>
    apiKeyVariable !== null && defaultApiBase !== null && env[apiKeyVariable]
      ? [{ name, variable: apiKeyVariable, models: loadCatalog().modelsOfProvider(name).length }]
      : [],
  );
}

const ROOMY = 100_000;

/** What stands for a file name where these settings are the source of something. */
export const DEVELOPMENT_DEFAULTS = "development defaults";

/**
 * What a development instance adds to its settings: the simulated models, a wildcard for each provider found, and the
 * folder of training runs if there is one.
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
        // Some simulated models fail on purpose; a test of the pattern means one that does not.
        ...(name === "sim" && { model_info: { health_check_model: "sim/echo" } }),
      })),
      ...(runsDir !== null && { training_settings: { runs_dir: runsDir } }),
      // Credit is counted as in production; what buying it needs is pretended.
      billing: { provider: "fake" },
      signUp: { mode: "open", verifyEmail: false, trustAddresses: true },
      // Webhooks and providers may be tried out against programs on the same computer.
      platform: { outboundAllow: ["localhost", "127.0.0.0/8", "::1"] },
      auth: { adminTotp: "optional" },
      // Every test and script on this computer comes from one address and often as one person.
      limits: {
        callsPerMinute: ROOMY,
        openCallsPerMinute: ROOMY,
        signUpsPerHour: ROOMY,
        loginsPerMinute: ROOMY,
        resetsPerHour: ROOMY,
      },
      general_settings: {
        master_key: masterKey,
        // Pages of other origins cannot reach a loopback server under a name of their own.
        allowed_hosts: ["127.0.0.1", "localhost", "[::1]"],
        // Clients need not name the model of a moderation, and the usual one is OpenAI's.
        ...(!names.includes("openai") && { moderation_model: "sim/moderation" }),
      },
    }),
  };
}
