import { type Capabilities, describeCapabilities } from "@tollgate/catalogue/capabilities.ts";
import type { Catalogue } from "@tollgate/catalogue/catalogue.ts";
import type { Price } from "@tollgate/domain/pricing/price-call.ts";
import type { DeploymentSettings } from "@tollgate/runtime/settings/settings.ts";

/** What is known of a model: configured facts first, then the catalogue's. */
export interface ModelFacts extends Capabilities {
  readonly mode: string | null;
  readonly maxInputTokens: number | null;
  readonly maxOutputTokens: number | null;
  readonly price: Price | null;
}

const noCapabilities: Capabilities = {
  supports_vision: false,
  supports_function_calling: false,
  supports_parallel_function_calling: false,
  supports_response_schema: false,
  supports_web_search: false,
  supports_reasoning: false,
};

/** Facts of a configured deployment, looked up by its base model, its model, and its model without the provider. */
export function factsOfDeployment(settings: DeploymentSettings, catalogue: Catalogue): ModelFacts {
  const { params, info } = settings;
  const known = factsOfModel(
    [info.baseModel, params.model].filter((name) => name !== null),
    catalogue,
  );
  return {
    ...known,
    ...configuredCapabilities(info.shown),
    mode: info.mode ?? known.mode,
    maxInputTokens: info.maxInputTokens ?? known.maxInputTokens,
    maxOutputTokens: info.maxOutputTokens ?? known.maxOutputTokens,
    price: configuredPrice(settings) ?? known.price,
  };
}

/** What the catalogue knows of a model under the first of these names, each tried with and without its provider. */
export function factsOfModel(names: readonly string[], catalogue: Catalogue): ModelFacts {
  const tried = names.flatMap((name) => (name.includes("/") ? [name, name.slice(name.indexOf("/") + 1)] : [name]));
  const model = catalogue.find(tried);
  if (model === undefined)
    return { ...noCapabilities, mode: null, maxInputTokens: null, maxOutputTokens: null, price: null };
  const { input, output, cacheRead, cacheWrite, outputReasoning } = model.prices;
  return {
    ...describeCapabilities(model),
    mode: model.mode,
    maxInputTokens: model.maxInputTokens,
    maxOutputTokens: model.maxOutputTokens,
    price:
      input === undefined || output === undefined
        ? null
        : {
            input,
            output,
            cacheRead: cacheRead ?? null,
            cacheWrite: cacheWrite ?? null,
            reasoning: outputReasoning ?? null,
          },
  };
}

/** The operator's own price counts only when both directions are given: half a price would make the other half free. */
function configuredPrice({ params }: DeploymentSettings): Price | null {
  const { input, output, cacheRead, cacheWrite, reasoning } = params.prices;
  if (input === null || output === null) return null;
  return { input, output, cacheRead, cacheWrite, reasoning };
}

function configuredCapabilities(shown: Readonly<Record<string, unknown>>): Partial<Capabilities> {
  const names = Object.keys(noCapabilities) as (keyof Capabilities)[];
  return Object.fromEntries(
    names.filter((name) => typeof shown[name] === "boolean").map((name) => [name, shown[name]]),
  );
}
