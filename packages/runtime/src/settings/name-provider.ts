import type { Secret } from "@tollgate/domain/secret.ts";
import type { ModelEntry } from "./schema/model-list.ts";

/** Known providers, for reading the settings. */
export interface Providers {
  /** Providers that a deployment can name, with the variables for each provider's key. */
  readonly known: ReadonlyMap<string, KnownProvider>;
  /** Providers that exist but aren't supported by this version. The file's other models still work. */
  readonly notCallable?: ReadonlySet<string>;
  /** Returns the reason why a package can't serve as an adapter; null if it can. */
  readonly findAdapterProblem?: (packageName: string) => string | null;
  /**
   * Returns the reason why a deployment can't get credentials from a library; null if it can, and undefined if no
   * library is involved.
   */
  readonly findCredentialProblem?: (deployment: CredentialSettings) => string | null | undefined;
  /** Returns the reason why credentials from a library may reach the wrong server; null if there is none. */
  readonly findCredentialUrlProblem?: (deployment: CredentialSettings) => string | null;
  /** Returns the most likely provider of a model without a prefix. */
  readonly infer: (bareModel: string) => string | null | undefined;
}

/** The part of a deployment in a settings file that determines its credentials. */
export interface CredentialSettings {
  readonly modelName: string;
  readonly provider: string | null;
  readonly upstreamModel: string;
  readonly apiBase: string | null;
  readonly apiKey: Secret | null;
  readonly options: Readonly<Record<string, string | Secret>>;
}

export interface KnownProvider {
  readonly apiKeyVariable: string | null;
  readonly otherKeyVariables?: readonly string[];
  /** Groups of options that belong together. Each group maps option names to their variables. */
  readonly optionVariables?: readonly Readonly<Record<string, readonly string[]>>[];
}

export interface NamedProvider {
  /** Null if only a call can determine the provider, as for a wildcard without a provider or an unknown name. */
  readonly provider: string | null;
  readonly upstreamModel: string;
  /** Variables for the provider's key, starting with the default variable. */
  readonly keyVariables: readonly string[];
  readonly optionVariables: NonNullable<KnownProvider["optionVariables"]>;
}

/** LiteLLM's provider names that differ from ours, mapped to our names. */
const otherNames: Readonly<Record<string, string>> = {
  ollama_chat: "ollama",
  custom_openai: "openai_compatible",
  openai_like: "openai_compatible",
  "text-completion-openai": "openai",
  azure_text: "azure",
  bedrock_converse: "bedrock",
  vertex_ai_beta: "vertex_ai",
};

/**
 * Returns a deployment's provider: `custom_llm_provider`, otherwise the prefix before the slash, otherwise a provider
 * inferred from the model name.
 */
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
