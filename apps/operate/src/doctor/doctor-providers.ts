import { Agent as PlainAgent, request as requestPlain } from "node:http";
import { request as requestSecure, Agent as SecureAgent } from "node:https";
import { readProxies } from "@tollgate/runtime/outbound-proxy.ts";
import type { DeploymentSettings } from "@tollgate/runtime/settings/settings.ts";
import { type DoctorContext, type Finding, failed, passed, warned } from "./doctor-finding.ts";

const ANSWER_LIMIT_MS = 3_000;

/**
 * Lists the models of each upstream, once per URL and key, because this is the cheapest request that validates a key.
 */
export async function checkProviders(context: DoctorContext): Promise<Finding[]> {
  const targets = new Map<string, DeploymentSettings>();
  for (const deployment of context.settings?.deployments ?? []) {
    const { provider, apiKey } = deployment.params;
    if (provider === null) continue;
    const identity = JSON.stringify([provider, addressOf(deployment, context), apiKey?.reveal()]);
    if (!targets.has(identity)) targets.set(identity, deployment);
  }
  return Promise.all([...targets.values()].map((deployment) => checkTarget(deployment, context)));
}

async function checkTarget(deployment: DeploymentSettings, context: DoctorContext): Promise<Finding> {
  const { params, source } = deployment;
  const provider = context.apps.gateway.providers.get(params.provider ?? "");
  const name = `provider ${params.provider}`;
  const place = `${source.file}:${source.line}`;
  if (provider === undefined) return warned(name, "not supported by this version", `See ${place}.`);
  if (provider.isOnlyForFiles === true)
    return passed(name, `${params.providerOptions.ai_sdk} is installed; not tested`);
  if (provider.localTransport !== undefined) return passed("provider simulated", "ok");
  const apiBase = addressOf(deployment, context);
  if (apiBase === null) return failed(name, "has no API base URL", `Set api_base at ${place}.`);

  const again = "then run tollgate doctor --only providers.";
  const startedMs = performance.now();
  try {
    const status = await askForModels(apiBase, params.apiKey?.reveal() ?? null, context.env);
    const { host } = new URL(apiBase);
    const target = { ...params, apiBase, options: params.providerOptions, fileModelName: deployment.modelName };
    if ((provider.layerOf?.(target) ?? null) !== null && status < 500) {
      // These credentials are created for each call, so only a paid call could verify them.
      return passed(name, `${host} responds, ${Math.round(performance.now() - startedMs)} ms; credentials not tested`);
    }
    if (status === 401 || status === 403) {
      const keyName = nameKey(deployment, provider.apiKeyVariable, context);
      const reason = params.apiKey === null ? "API key required" : "API key rejected";
      return failed(name, `${status} from upstream: ${reason}`, `Update ${keyName}, ${again}`);
    }
    if (status === 429)
      return warned(
        name,
        `${host} rate-limits this API key`,
        "Try again later, or ask the provider to raise the limit.",
      );
    if (status >= 500) return failed(name, `${status} from ${host}`, `Check the provider's status page, ${again}`);
    // An upstream without a model list is still reachable. Any further check would require a paid call.
    const list = status === 200 ? "" : `, no model list (${status})`;
    return passed(name, `${host} ok, ${Math.round(performance.now() - startedMs)} ms${list}`);
  } catch (error) {
    const cause = params.apiBase === null ? "Check the network connection" : `Check api_base at ${place}`;
    return failed(name, `${apiBase}: ${(error as Error).message}`, `${cause}, ${again}`);
  }
}

/** Returns the base URL for a deployment's calls. */
function addressOf({ params }: DeploymentSettings, { apps }: DoctorContext): string | null {
  const provider = apps.gateway.providers.get(params.provider ?? "");
  const target = { ...params, options: params.providerOptions };
  return params.apiBase ?? provider?.apiBaseOf?.(target) ?? provider?.defaultApiBase ?? null;
}

function askForModels(apiBase: string, key: string | null, proxyEnv: NodeJS.ProcessEnv): Promise<number> {
  const url = new URL(`${apiBase.replace(/\/+$/, "")}/models`);
  const isSecure = url.protocol === "https:";
  const send = isSecure ? requestSecure : requestPlain;
  const isProxied = readProxies(proxyEnv)(url) !== null;
  const { promise, resolve, reject } = Promise.withResolvers<number>();
  const request = send(url, {
    headers: { accept: "application/json", ...(key !== null && { authorization: `Bearer ${key}` }) },
    signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
    ...(isProxied && { agent: isSecure ? new SecureAgent({ proxyEnv }) : new PlainAgent({ proxyEnv }) }),
  });
  request.once("response", (response) => {
    resolve(response.statusCode as number);
    response.destroy();
  });
  request.on("error", (error: NodeJS.ErrnoException) => {
    const isLate = error.name === "AbortError" || error.name === "TimeoutError";
    reject(isLate ? new Error(`no response within ${ANSWER_LIMIT_MS / 1_000} s`) : error);
  });
  request.end();
  return promise;
}

/** Returns the key's source, which is an environment variable or a line in the settings, without revealing the key. */
function nameKey({ params, source }: DeploymentSettings, usual: string | null, context: DoctorContext): string {
  const key = params.apiKey?.reveal();
  const place = `api_key at ${source.file}:${source.line}`;
  if (key === undefined) return usual ?? place;
  const own = Object.entries(context.settings?.environment ?? {}).map(
    ([name, value]) => [name, value.reveal()] as const,
  );
  const holders = [...own, ...Object.entries(context.env)].filter(([, value]) => value === key).map(([name]) => name);
  return holders.find((name) => name === usual) ?? holders[0] ?? place;
}
