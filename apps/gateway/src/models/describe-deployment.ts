import { picoToUsdNumber } from "@tollgate/catalog/usd.ts";
import type { DeploymentEntry } from "@tollgate/contracts/models/model-info.ts";
import type { Deployment } from "../call/deployment.ts";
import { providerNameOf, supportedParamsOf } from "./describe-model.ts";
import { displayNameOf } from "./model-view.ts";

/** Parameters that contain an upstream URL. */
const addressNames: ReadonlySet<string> = new Set(["api_base", "base_url", "aws_bedrock_runtime_endpoint"]);

/**
 * Describes a deployment for the model information API, without secrets. The URL is included only for authorized
 * callers.
 */
export function describeDeployment(deployment: Deployment, showsAddress: boolean): DeploymentEntry {
  const { facts, shownInfo } = deployment;
  const {
    price,
    imagePrices: _,
    billsHiddenTokens: __,
    maxImageTokens: ___,
    maxInputTokens,
    maxOutputTokens,
    mode,
    ...capabilities
  } = facts;
  return {
    model_name: displayNameOf(deployment),
    litellm_params: describeParams(deployment, showsAddress),
    model_info: {
      ...shownInfo,
      id: deployment.id,
      db_model: deployment.isFromDatabase,
      mode,
      max_input_tokens: maxInputTokens,
      max_output_tokens: maxOutputTokens,
      input_cost_per_token: price === null ? null : picoToUsdNumber(price.input),
      output_cost_per_token: price === null ? null : picoToUsdNumber(price.output),
      litellm_provider: providerNameOf(deployment),
      ...capabilities,
      supported_openai_params: [...supportedParamsOf(deployment)],
      access_groups: [...deployment.accessGroups],
      base_model: typeof shownInfo.base_model === "string" ? shownInfo.base_model : null,
    },
  };
}

function describeParams(deployment: Deployment, showsAddress: boolean): DeploymentEntry["litellm_params"] {
  const { shownParams, model, rpm, tpm } = deployment;
  const shown = Object.entries(shownParams).filter(([name]) => showsAddress || !addressNames.has(name));
  const address = showsAddress ? addressOf(deployment) : null;
  return {
    ...Object.fromEntries(shown),
    model,
    ...(address !== null && { api_base: address }),
    ...(rpm !== null && { rpm }),
    ...(tpm !== null && { tpm }),
  };
}

/** Returns the URL without its user name, password, and query, because they may contain credentials. */
export function addressOf({ apiBase }: Deployment): string | null {
  if (apiBase === null || !URL.canParse(apiBase)) return null;
  const { protocol, host, pathname } = new URL(apiBase);
  return `${protocol}//${host}${pathname === "/" ? "" : pathname}`;
}
