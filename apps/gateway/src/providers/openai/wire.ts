import type { OperationName } from "../../call/operation-traits.ts";
import type { PreparedTarget, Provider, TargetSettings } from "../../call/provider.ts";
import type { ChatMessages, FitParams } from "./fit-request.ts";
import type { RerankQuirks } from "./rerank.ts";

/**
 * Properties that distinguish one upstream with the OpenAI format from another. If none of these properties is set, the
 * upstream receives the caller's bytes with only the model name replaced.
 */
export interface OpenAiWire {
  /** The prefix of model names. */
  readonly name: string;
  /** The default base URL; null if every deployment must set a base URL. */
  readonly apiBase: string | null;
  readonly keyVariable: string | null;
  readonly otherKeyVariables?: readonly string[];
  readonly operations: readonly OperationName[];

  /** The version path of the base URL. It is added if the deployment's URL lacks it. */
  readonly version?: string;
  /** Prepares the data that calls share, for upstreams whose URL depends on more than the version. */
  readonly prepare?: (target: TargetSettings) => PreparedTarget;
  /** The transport layer, credential source, and options of an upstream that accepts more than a key. */
  readonly layerOf?: NonNullable<Provider["layerOf"]>;
  readonly credentialSourceOf?: NonNullable<Provider["credentialSourceOf"]>;
  readonly optionVariables?: NonNullable<Provider["optionVariables"]>;
  /** Returns the model name in the upstream's format. */
  readonly upstreamName?: (model: string) => string;

  /** Chat parameters that the models support. Defaults to all. */
  readonly takes?: readonly string[];
  /** Returns the parameters that a specific model doesn't support. */
  readonly refuses?: (model: string) => readonly string[];
  /** The name of the output limit parameter. It is `max_tokens`, unless the models support only the newer name. */
  readonly outputLimitParam?: Provider["outputLimitParam"];
  /** Parameters that have a different name upstream. */
  readonly renames?: Readonly<Record<string, string>>;
  /** Changes parameters based on their values. */
  readonly fitParams?: FitParams;
  /** True if the upstream doesn't support developer messages. They are sent as system messages. */
  readonly developerIsSystem?: boolean;
  /** Changes messages that the upstream would reject. Returns null if no change is needed. */
  readonly fitMessages?: (messages: ChatMessages) => ChatMessages | null;

  /** True if the upstream supports Anthropic's `cache_control`. Other upstreams cache on their own or reject it. */
  readonly readsCacheMarks?: boolean;

  /** True if the upstream always sends usage in streams and rejects `stream_options.include_usage`. */
  readonly alwaysSendsUsage?: boolean;
  /**
   * True if the upstream uses `reasoning` instead of `reasoning_content`, in requests and responses, and doesn't
   * support the developer role.
   */
  readonly saysReasoning?: boolean;
  /** Converts the JSON of a response, or of complete frames, to the format that clients expect. */
  readonly fitAnswer?: (text: string) => string;

  /** True if the usage in a response contains the charge, in a form that `readReportedCost` knows. */
  readonly reportsCost?: boolean;
  /** Reports whether the upstream supports the Responses API at a URL. */
  readonly hasResponses?: NonNullable<Provider["hasResponses"]>;
  /** True if every model supports text completion. */
  readonly completesText?: boolean;
  /** True if completion and embedding inputs may be token arrays. */
  readonly takesTokens?: boolean;
  /** Headers that callers may send, in addition to the headers allowed for every provider. */
  readonly requestHeaders?: NonNullable<Provider["requestHeaders"]>;
  /** Supported transcript formats. Defaults to all. */
  readonly transcriptFormats?: readonly string[];
  /** True if only `verbose_json` has the duration, which providers bill. */
  readonly hidesDuration?: boolean;
  readonly leastBilledMs?: number;
  readonly rerank?: RerankQuirks;
}
