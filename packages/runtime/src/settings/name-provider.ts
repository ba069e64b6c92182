import type { ModelEntry } from "./schema/model-list.ts";

/** What is known about providers where the settings are read. */
export interface Providers {
  /** Those a deployment can name, and the variables each one's key may be found in. */
  readonly known: ReadonlyMap<string, KnownProvider>;
  /** Those that exist but cannot be called by this version: a file that names them is still good for its other models. */
  readonly notCallable?: ReadonlySet<string>;
  /** Why a package cannot serve a deployment that names it as its adapter; null when it can. */
  readonly findAdapterProblem?: (packageName: string) => string | null;
  /** The provider a model without one most likely belongs to. */
  readonly infer: (bareModel: string) => string | null | undefined;
}

export interface KnownProvider {
  readonly apiKeyVariable: string | null;
  readonly otherKeyVariables?: readonly string[];
  /** Options by name, in groups that belong together, and the variables each may be found in. */
  readonly optionVariables?: readonly Readonly<Record<string, readonly string[]>>[];
}

export interface NamedProvider {
  /** Null where only a call can tell: a wildcard without a provider, or a name nobody knows. */
  readonly provider: string | null;
  readonly upstreamModel: string;
  /** The variables its key may be found in, the usual one first. */
  readonly keyVariables: readonly string[];
  readonly optionVariables: NonNullable<KnownProvider["optionVariables"]>;
}

/** What LiteLLM's files call providers that have one name here. */
const otherNames: Readonly<Record<string, string>> = {
  ollama_chat: "ollama",
  custom_openai: "openai_compatible",
  openai_like: "openai_compatible",
  "text-completion-openai": "openai",
  azure_text: "azure",
  bedrock_converse: "bedrock",
  vertex_ai_beta: "vertex_ai",
};

/** Whom a deployment's calls go to: `custom_llm_provider`, else what stands before the slash, else what the name suggests. */
export function nameProvider(params: ModelEntry["litellm_params"], { known, infer }: Providers): NamedProvider {
  const { model, custom_llm_provider: custom } = params;
  const slash = model.indexOf("/");
  const prefix = slash < 0 ? null : model.slice(0, slash);
  const inferred = slash < 0 && !model.includes("*") ? (infer(model) ?? null) : null;
  const named = custom ?? prefix ?? inferred;
  const provider = named === null ? null : (otherNames[named] ?? named);
  return {
    provider,
    upstreamModel: prefix !== null && prefix === named ? model.slice(slash + 1) : model,
    keyVariables: keyVariablesOf(known.get(provider ?? "")),
    optionVariables: known.get(provider ?? "")?.optionVariables ?? [],
  };
}

function keyVariablesOf(provider: KnownProvider | undefined): readonly string[] {
  const usual = provider?.apiKeyVariable ?? null;
  return usual === null ? [] : [usual, ...(provider?.otherKeyVariables ?? [])];
}
