import type { ModelEntry } from "./schema/model-list.ts";

/** What is known about providers where the settings are read. */
export interface Providers {
  /** Those a deployment can name, and the variable each one's key is usually found in. */
  readonly known: ReadonlyMap<string, { readonly apiKeyVariable: string | null }>;
  /** Those that exist but cannot be called by this version: a file that names them is still good for its other models. */
  readonly notCallable?: ReadonlySet<string>;
  /** The provider a model without one most likely belongs to. */
  readonly infer: (bareModel: string) => string | null | undefined;
}

export interface NamedProvider {
  /** Null where only a call can tell: a wildcard without a provider, or a name nobody knows. */
  readonly provider: string | null;
  readonly upstreamModel: string;
  readonly keyVariable: string | null;
}

/** Whom a deployment's calls go to: `custom_llm_provider`, else what stands before the slash, else what the name suggests. */
export function nameProvider(params: ModelEntry["litellm_params"], { known, infer }: Providers): NamedProvider {
  const { model, custom_llm_provider: custom } = params;
  const slash = model.indexOf("/");
  const prefix = slash < 0 ? null : model.slice(0, slash);
  const inferred = slash < 0 && !model.includes("*") ? (infer(model) ?? null) : null;
  const provider = custom ?? prefix ?? inferred;
  return {
    provider,
    upstreamModel: prefix !== null && prefix === provider ? model.slice(slash + 1) : model,
    keyVariable: known.get(provider ?? "")?.apiKeyVariable ?? null,
  };
}
