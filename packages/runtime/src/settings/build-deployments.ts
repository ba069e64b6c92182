import { Secret } from "@tollgate/domain/secret.ts";
import { buildPriceRules, buildPrices, unitPricesOf } from "./build-prices.ts";
import type { Environment } from "./environment.ts";
import { nameProvider, type Providers } from "./name-provider.ts";
import { firstVariable, hasCredential, usualOptions, withFiles, writtenOptions } from "./provider-options.ts";
import type { Credential, ModelEntry } from "./schema/model-list.ts";
import type { SettingsFile } from "./schema/settings-file.ts";
import type { DeploymentInfo, DeploymentParams, DeploymentSettings } from "./settings.ts";
import type { SettingsReader } from "./settings-reader.ts";
import { showWithoutSecrets } from "./show-without-secrets.ts";
import { descend, type SourceMap } from "./source-tree.ts";

type Connection = Credential["credential_values"];

/**
 * Builds the deployments with their shared credentials. If a deployment has no key, the provider's default variable is
 * used.
 */
export function buildDeployments(
  file: SettingsFile,
  reader: SettingsReader,
  environment: Environment,
  providers: Providers,
): readonly DeploymentSettings[] {
  const credentials = new Map(file.credential_list.map((item) => [item.credential_name, item.credential_values]));
  return file.model_list.map((entry) => {
    const source = reader.sourceOf(entry);
    const credential = credentials.get(entry.litellm_params.litellm_credential_name ?? "");
    return {
      modelName: entry.model_name,
      params: buildParams(entry, credential, source, reader, environment, providers),
      info: buildInfo(entry.model_info, source, reader),
      source: { file: source.place.file, line: source.place.line },
    };
  });
}

function buildParams(
  entry: ModelEntry,
  credential: Connection | undefined,
  source: SourceMap,
  reader: SettingsReader,
  environment: Environment,
  providers: Providers,
): DeploymentParams {
  const params = entry.litellm_params;
  const { provider, upstreamModel, keyVariables, optionVariables } = nameProvider(params, providers);
  const written = writtenOptions(credential, params);
  const writtenKey = params.api_key ?? credential?.api_key ?? null;
  const usualKey = hasCredential(written, optionVariables) ? null : firstVariable(keyVariables, environment);
  const usual = usualOptions(optionVariables, written, writtenKey !== null, environment);
  return {
    model: params.model,
    provider,
    upstreamModel,
    apiBase: params.api_base ?? credential?.api_base ?? null,
    apiKey: writtenKey ?? (usualKey === null ? null : new Secret(usualKey)),
    apiVersion: params.api_version ?? credential?.api_version ?? null,
    providerOptions: withFiles({ ...usual, ...written }),
    rpm: entry.rpm ?? params.rpm ?? entry.model_info.rpm,
    tpm: entry.tpm ?? params.tpm ?? entry.model_info.tpm,
    weight: params.weight,
    order: params.order,
    timeoutSeconds: params.timeout,
    streamTimeoutSeconds: params.stream_timeout,
    maxParallelRequests: params.max_parallel_requests,
    tags: params.tags,
    dropParams: params.drop_params,
    allowedOpenaiParams: params.allowed_openai_params,
    additionalDropParams: params.additional_drop_params,
    allowedParams: params.allowed_params,
    allowedHeaders: params.allowed_headers,
    unknownParams: params.unknown_params,
    cooldownSeconds: params.cooldown_time,
    numRetries: params.num_retries,
    region: params.region_name,
    onDisconnect: params.on_disconnect,
    ownKeyPrices: takesOwnKeys(params) ? unitPricesOf(params.own_key_price) : null,
    prices: buildPrices(params, entry.model_info),
    pricesAreCosts: params.prices_are_costs,
    priceRules: buildPriceRules(params, entry.model_info, source, reader),
    shown: showPart(source, "litellm_params", reader),
  };
}

function buildInfo(info: ModelEntry["model_info"], source: SourceMap, reader: SettingsReader): DeploymentInfo {
  return {
    id: info.id,
    baseModel: info.base_model,
    mode: info.mode,
    accessGroups: info.access_groups,
    maxInputTokens: info.max_input_tokens,
    maxOutputTokens: info.max_output_tokens ?? info.max_tokens,
    teamId: info.team_id,
    teamPublicModelName: info.team_public_model_name,
    healthCheckModel: info.health_check_model,
    healthCheckTimeoutSeconds: info.health_check_timeout,
    shown: showPart(source, "model_info", reader),
  };
}

/** Reports whether callers can send their own provider API key. */
function takesOwnKeys({ configurable_clientside_auth_params: names }: ModelEntry["litellm_params"]): boolean {
  return names.some((item) => item.kind === "scalar" && item.text === "api_key");
}

function showPart(source: SourceMap, name: string, reader: SettingsReader): Readonly<Record<string, unknown>> {
  const part = descend(source, name);
  return part?.kind === "map" ? showWithoutSecrets(part, (scalar) => reader.follow(scalar)) : {};
}
