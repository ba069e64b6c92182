import { Secret } from "@tollgate/domain/secret.ts";
import type { Environment } from "./environment.ts";
import { nameProvider, type Providers } from "./name-provider.ts";
import { findNearMiss } from "./near-misses.ts";
import { hasCredential, usualOptions, withFiles, writtenOptions } from "./provider-options.ts";
import type { ModelEntry } from "./schema/model-list.ts";
import type { SettingsFile } from "./schema/settings-file.ts";
import type { SettingsReader } from "./settings-reader.ts";
import { descend, type Place, type SourceMap } from "./source-tree.ts";

/**
 * Limit of 10,000 USD per million tokens. A higher price was probably written per million tokens instead of per token.
 */
const SUSPECT_PICO_PER_TOKEN = 10_000_000_000n;

/** Provider name of deployments served by an adapter package. */
const ADAPTED = "ai_sdk";

/** Providers whose requests are signed, get a token, or go through a package, so that no other key can be sent. */
const signingProviders: ReadonlySet<string> = new Set(["bedrock", "vertex_ai", ADAPTED]);

/**
 * Checks for problems that no single field shows: duplicate IDs, unknown providers and credentials, and prices that are
 * off by a factor of a million.
 */
export function checkDeployments(
  file: SettingsFile,
  reader: SettingsReader,
  environment: Environment,
  providers: Providers,
): void {
  const placeOf = (entry: ModelEntry, ...path: readonly string[]): Place => {
    const source: SourceMap = reader.sourceOf(entry);
    return (descend(source, ...path) ?? source).place;
  };
  const firstById = new Map<string, Place>();
  const credentials = new Map(file.credential_list.map((item) => [item.credential_name, item.credential_values]));
  for (const entry of file.model_list) {
    const { litellm_params: params, model_info: info } = entry;
    checkId(info.id, placeOf(entry, "model_info", "id"));
    checkProvider(params, placeOf(entry, "litellm_params", "model"));
    checkAdapter(params, placeOf(entry, "litellm_params", "ai_sdk"));
    checkCredential(entry);
    checkAddress(params.api_base, placeOf(entry, "litellm_params", "api_base"));
    checkPrices(entry);
    checkClientsideParams(entry);
  }
  for (const credential of file.credential_list) {
    const source = reader.sourceOf(credential.credential_values);
    checkAddress(credential.credential_values.api_base, (descend(source, "api_base") ?? source).place);
  }

  function checkId(id: string | null, place: Place): void {
    const first = id === null ? undefined : firstById.get(id);
    if (id === null) return;
    if (first === undefined) firstById.set(id, place);
    else reader.findings.refuse(place, `id: ${id}`, `${first.file}:${first.line} has the same ID; IDs must be unique`);
  }

  function checkProvider(params: ModelEntry["litellm_params"], place: Place): void {
    const { provider } = nameProvider(params, providers);
    const { model } = params;
    if (model.startsWith("*") || providers.known.has(provider ?? "")) return;
    if (provider !== null && providers.notCallable?.has(provider)) {
      const consequence = `this version does not support ${provider}; the deployment is skipped`;
      return reader.findings.warn("advice", place, `model: ${model}`, consequence);
    }
    const meant = provider === null ? null : findNearMiss(provider, providers.known.keys());
    const names = [...providers.known.keys()].sort().join(", ");
    const message =
      provider === null ? `model: ${model} has no provider` : `unknown provider "${provider}" in model: ${model}`;
    reader.findings.refuse(place, message, meant === null ? `known providers: ${names}` : `did you mean "${meant}"?`);
  }

  function checkAdapter(params: ModelEntry["litellm_params"], place: Place): void {
    const { provider } = nameProvider(params, providers);
    const name = params.ai_sdk ?? credentials.get(params.litellm_credential_name ?? "")?.ai_sdk ?? null;
    if (provider !== ADAPTED) {
      if (params.ai_sdk === null) return;
      return reader.findings.refuse(
        place,
        `ai_sdk: ${name}`,
        `the model of such a deployment must be ${ADAPTED}/<model name>`,
      );
    }
    if (name === null) {
      return reader.findings.refuse(place, `model: ${params.model}`, "set ai_sdk to the adapter package");
    }
    const problem = providers.findAdapterProblem?.(name) ?? null;
    if (problem !== null) reader.findings.refuse(place, `ai_sdk: ${name}`, problem);
  }

  function checkCredential(entry: ModelEntry): void {
    const params = entry.litellm_params;
    const name = params.litellm_credential_name;
    if (name !== null && !credentials.has(name)) {
      const meant = findNearMiss(name, credentials.keys());
      const suggestion =
        meant === null ? "credential_list has no credential with that name" : `did you mean "${meant}"?`;
      const place = placeOf(entry, "litellm_params", "litellm_credential_name");
      reader.findings.refuse(place, `litellm_credential_name: ${name}`, suggestion);
      return;
    }
    const { provider, upstreamModel, keyVariables: variables, optionVariables } = nameProvider(params, providers);
    const credential = credentials.get(name ?? "");
    const written = writtenOptions(credential, params);
    checkRole(written, placeOf(entry, "litellm_params"));
    const [usual] = variables;
    const apiKey = params.api_key ?? credential?.api_key ?? null;
    if (params.configurable_clientside_auth_params.length > 0) return;
    const isWritten = apiKey !== null || hasCredential(written, optionVariables);
    if (!isWritten && variables.some((name) => environment[name])) return;
    const options = withFiles({
      ...usualOptions(optionVariables, written, apiKey !== null, environment),
      ...written,
    });
    const apiBase = params.api_base ?? credential?.api_base ?? null;
    const settings = { modelName: entry.model_name, provider, upstreamModel, apiBase, apiKey, options };
    const place = placeOf(entry, "litellm_params");
    const subject = `credentials of ${entry.model_name}`;
    const urlProblem = providers.findCredentialUrlProblem?.(settings) ?? null;
    if (urlProblem !== null) reader.findings.warn("advice", place, subject, urlProblem);
    const problem = providers.findCredentialProblem?.(settings);
    if (typeof problem === "string") return reader.findings.warn("advice", place, subject, problem);
    // Some providers accept credentials other than a key.
    if (apiKey !== null || problem === null || usual === undefined || params.api_base !== null) return;
    if (hasCredential(options, optionVariables)) return;
    reader.findings.warn("advice", place, `${entry.model_name} has no api_key`, `set ${usual}, or requests to it fail`);
  }

  function checkRole(options: ReturnType<typeof writtenOptions>, place: Place): void {
    const hasRole = "aws_role_name" in options;
    const token = options.aws_web_identity_token;
    const tokenText = token instanceof Secret ? token.reveal() : (token ?? "");
    if (tokenText !== "" && !hasRole) {
      reader.findings.refuse(place, "aws_web_identity_token", "set aws_role_name to the role that the token is for");
    }
    if (/^oidc\/(?!file\/)/.test(tokenText)) {
      const supported = "of LiteLLM's references, only oidc/file/<path> is supported";
      reader.findings.refuse(place, "aws_web_identity_token", supported);
    }
    if ("aws_session_name" in options && !hasRole) {
      reader.findings.warn("without-effect", place, "aws_session_name", "it applies only with aws_role_name");
    }
  }

  function checkAddress(address: string | null, place: Place): void {
    if (address === null || /^https?:$/.test(URL.parse(address)?.protocol ?? "")) return;
    reader.findings.refuse(place, "api_base", "expected a URL that starts with http:// or https://");
  }

  function checkPrices(entry: ModelEntry): void {
    for (const part of ["litellm_params", "model_info"] as const) {
      for (const name of ["input_cost_per_token", "output_cost_per_token"] as const) {
        const pico = entry[part][name];
        if (pico === null || pico < SUSPECT_PICO_PER_TOKEN) continue;
        const place = placeOf(entry, part, name);
        reader.findings.warn(
          "advice",
          place,
          `${name} is very high`,
          "the unit is USD per token, not per million tokens",
        );
      }
    }
  }

  function checkClientsideParams(entry: ModelEntry): void {
    const { provider } = nameProvider(entry.litellm_params, providers);
    const hasNames = entry.litellm_params.configurable_clientside_auth_params.length > 0;
    if (hasNames && provider !== null && signingProviders.has(provider)) {
      const suggestion = `callers' keys are not supported for ${provider}; set the operator's credentials`;
      const place = placeOf(entry, "litellm_params", "configurable_clientside_auth_params");
      reader.findings.warn("advice", place, "configurable_clientside_auth_params", suggestion);
    }
    for (const item of entry.litellm_params.configurable_clientside_auth_params) {
      if (item.kind === "scalar" && item.text === "api_key") continue;
      const message = "configurable_clientside_auth_params";
      reader.findings.warn("without-effect", item.place, message, "callers can only provide an api_key");
    }
  }
}
