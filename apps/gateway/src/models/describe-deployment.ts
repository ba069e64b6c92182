import { picoToUsdNumber } from "@tollgate/catalog/usd.ts";
import type { DeploymentEntry } from "@tollgate/contracts/models/model-info.ts";
import type { Deployment } from "../call/deployment.ts";
import { providerNameOf, supportedParamsOf } from "./describe-model.ts";
import { displayNameOf } from "./model-view.ts";

/** Parameters that contain an upstream URL. */
const addressNames: ReadonlySet<string> = new Set(["api_base", "base_url", "aws_bedrock_runtime_endpoint"]);

/** Fields that contain prices. */
const PRICE_NAME = /_cost|^price_rules$|^prices_are_costs$/;

/** What a caller of the model information API may see. */
interface DeploymentView {
  readonly showsAddress: boolean;
  /** True if the caller may see what the operator pays, where it differs from what customers pay. */
  readonly showsCosts: boolean;
}

/**
 * Describes a deployment for the model information API, without secrets. The URL and the operator's costs are included
 * only for authorized callers.
 */
export function describeDeployment(
  deployment: Deployment,
  { showsAddress, showsCosts }: DeploymentView,
): DeploymentEntry {
  const { facts, selling } = deployment;
  const hidesPrices = !showsCosts && selling !== undefined && selling.adjustments.length > 0;
  const shownInfo = hidesPrices ? withoutPrices(deployment.shownInfo) : deployment.shownInfo;
  const shownParams = hidesPrices ? withoutPrices(deployment.shownParams) : deployment.shownParams;
  const {
    price,
    rateCard: _,
    imagePrices: __,
    billsHiddenTokens: ___,
    maxImageTokens: ____,
    configuredParams: _____,
    fees: ______,
    isPriceRefused: _______,
    maxInputTokens,
    maxOutputTokens,
    mode,
    capabilities: { inputs, outputs, streams, missing },
    ...flags
  } = facts;
  return {
    model_name: displayNameOf(deployment),
    litellm_params: describeParams({ ...deployment, shownParams }, showsAddress),
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
      ...flags,
      capabilities: { inputs: [...inputs], outputs: [...outputs], streams: [...streams], missing: [...missing] },
      supported_openai_params: [...supportedParamsOf(deployment)],
      access_groups: [...deployment.accessGroups],
      base_model: typeof shownInfo.base_model === "string" ? shownInfo.base_model : null,
    },
  };
}

/** Removes the configured prices. With a margin, they are what the operator pays. */
function withoutPrices(shown: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(shown).filter(([name]) => !PRICE_NAME.test(name)));
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
