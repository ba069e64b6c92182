import type { OperationName } from "../../operations/operation-kind.ts";
import type { PreparedTarget, Provider, TargetSettings } from "../provider.ts";
import type { ChatMessages } from "./fit-messages.ts";
import type { FitParams } from "./fit-params.ts";
import type { RerankQuirks } from "./rerank.ts";

/**
 * What tells one upstream of this wire from another. Everything that may be left out costs nothing where it is: a call
 * to an upstream without habits of its own is the caller's bytes with the model's name changed.
 */
export interface OpenAiWire {
  /** As model names begin with it. */
  readonly name: string;
  /** Its usual address; null when a deployment must name one. */
  readonly apiBase: string | null;
  readonly keyVariable: string | null;
  readonly otherKeyVariables?: readonly string[];
  readonly operations: readonly OperationName[];

  /** What an address ends with; added where a deployment's address does not. */
  readonly version?: string;
  /** Makes what its calls share, where the address depends on more than that. */
  readonly prepare?: (target: TargetSettings) => PreparedTarget;
  /** The model's name as the upstream wants it. */
  readonly upstreamName?: (model: string) => string;

  /** The parameters of a chat its models take; all of them where it says nothing. */
  readonly takes?: readonly string[];
  /** What one model does not take of those. */
  readonly refuses?: (model: string) => readonly string[];
  /** `max_tokens` unless its models only know the newer name. */
  readonly outputLimitParam?: Provider["outputLimitParam"];
  /** Parameters it knows under another name. */
  readonly renames?: Readonly<Record<string, string>>;
  /** Changes parameters by their values. */
  readonly fitParams?: FitParams;
  /** It does not know the developer's messages: they are sent as the system's, which is what they were before. */
  readonly developerIsSystem?: boolean;
  /** Changes messages it would refuse; null leaves them as they are. */
  readonly fitMessages?: (messages: ChatMessages) => ChatMessages | null;

  /** Tells usage in every stream and refuses to be asked for it. */
  readonly alwaysTellsUsage?: boolean;
  /** Says `reasoning` where we say `reasoning_content`, in its answers and in what it is sent of them; knows no developer. */
  readonly saysReasoning?: boolean;
  /** Changes an answer's JSON, whole or in whole frames, to what clients of this wire expect. */
  readonly fitAnswer?: (text: string) => string;

  /** Whether it has responses of its own at an address. */
  readonly hasResponses?: NonNullable<Provider["hasResponses"]>;
  /** Every model of it continues a text. */
  readonly completesText?: boolean;
  /** Texts to continue or to embed may be given as tokens. */
  readonly takesTokens?: boolean;
  /** Headers that callers may send to it, besides those that every provider takes. */
  readonly requestHeaders?: NonNullable<Provider["requestHeaders"]>;
  /** The forms of a transcript it knows; all of them where it says nothing. */
  readonly transcriptFormats?: readonly string[];
  readonly rerank?: RerankQuirks;
}
