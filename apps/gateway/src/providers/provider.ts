import type { Readable } from "node:stream";
import type { Failure } from "@tollgate/contracts/failures.ts";
import type { InferenceRequest } from "@tollgate/contracts/inference/shared-fields.ts";
import type { Usage } from "@tollgate/domain/pricing/usage.ts";
import type { Secret } from "@tollgate/domain/secret.ts";
import type { AnswerForm, OperationName } from "../operations/operation-kind.ts";
import type { CallBody } from "../pipeline/body/call-body.ts";
import type { Conversation } from "../pipeline/body/conversation.ts";
import type { OutputMeter } from "../tokens/output-meter.ts";
import type { HeaderTest, RequestFields } from "./request-fields.ts";

/** What translation needs to know of a call. */
export interface TranslatedCall<Request extends InferenceRequest = InferenceRequest> {
  readonly operation: OperationName;
  readonly body: CallBody<Request>;
  readonly model: { readonly shownName: string; readonly shownJson: string };
  readonly answerForm: AnswerForm;
  readonly isStream: boolean;
  readonly wantsUsage: boolean;
  /** How many gateways of this kind the call has passed. */
  readonly hops: number;
  /** What the call continues, and what it can be continued by; null or absent where that cannot be. */
  readonly conversation?: Pick<Conversation, "id" | "previousId" | "isKept"> | null;
  /** Tokens the answer may have at most, when that is ours to say; null leaves it to the request. */
  readonly outputLimit: number | null;
  /** What a client of Anthropic's wire says of itself; nobody else's calls have it. */
  readonly exchange?: {
    readonly headers: { readonly anthropicVersion: string | null; readonly anthropicBeta: string | null };
  };
}

/** What goes to an upstream, ready to send. Paths are relative to the deployment's address. */
export interface UpstreamRequest {
  readonly path: string;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  /** Bytes, or a way to read them that can be taken once for each attempt. */
  readonly body: Buffer | (() => Readable);
}

/** What is the same in every call to a target, so that no call has to make it again. */
export interface PreparedTarget {
  /** The upstream model's name as JSON, one character per byte. */
  readonly modelJson: string;
  /** Names and values in turn, for answers that are streamed and for those that are not. */
  readonly headers: readonly string[];
  readonly streamHeaders: readonly string[];
  /** What stands around an operation's path, where an upstream's address is not all of it. */
  readonly path?: { readonly prefix: string; readonly suffix: string };
}

/** A deployment's connection as it was configured. */
export interface TargetSettings {
  readonly upstreamModel: string;
  /** Where it is reached; the provider's usual address when left out. */
  readonly apiBase?: string | null;
  readonly apiKey: Secret | null;
  readonly apiVersion: string | null;
  /** What some providers need besides, under the names of the settings file. */
  readonly options: Readonly<Record<string, string | Secret>>;
}

/** Where a deployment's calls go, as far as translation needs to know. */
export interface UpstreamTarget extends TargetSettings {
  readonly prepared: PreparedTarget;
  /** Whether what a model does not support is left out instead of refused. */
  readonly dropsParams?: boolean;
  /** What becomes of fields and headers that are not listed; `forward` sends them all. */
  readonly unknownParams?: "reject" | "drop" | "forward";
  /** Header names that the operator lets callers send, in lower case. */
  readonly allowedHeaders?: ReadonlySet<string>;
  readonly price?: { readonly tier?: unknown } | null;
  /** What is known of the model. */
  readonly facts?: { readonly maxOutputTokens: number | null; readonly supports_reasoning?: boolean };
}

/** Hears what an upstream answers. Our own interface, so that a simulated upstream and a socket look alike. */
export interface AnswerListener {
  onStart(control: AnswerControl, status: number, headers: UpstreamHeaders): void;
  onData(chunk: Buffer): void;
  onEnd(): void;
  /** The answer will not come, or not to its end. */
  onError(error: Error): void;
}

/** The upstream answered, but not in a way that can be read. */
export class MalformedResponse extends Error {}

export interface AnswerControl {
  /** False while the request cannot have reached the upstream; absent where that is not known. */
  readonly wasSent?: boolean;
  pause(): void;
  resume(): void;
  abort(): void;
}

export type UpstreamHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Carries requests to one upstream under one credential. */
export interface Transport {
  /** Sends and returns the way to stop it; the listener hears the rest. */
  send(request: UpstreamRequest, listener: AnswerListener): AnswerControl;
  close(): Promise<void>;
}

/** An answer in the caller's terms: bytes to relay, and what the call used if the upstream said so. */
export interface ReadAnswer {
  /** The body, byte for byte, as a string of bytes. */
  readonly text: string;
  readonly usage: Usage | null;
  /** JSON where it says nothing else. */
  readonly contentType?: string;
}

/** Reads one upstream stream and says what goes to the client. Text here is bytes: one character, one byte. */
export interface StreamReader {
  /** Whole frames for the client out of what arrived; incomplete frames wait. */
  push(text: string): string;
  /** The upstream ended: what is still owed to the client. Sets `failure` when the stream was cut short. */
  end(): string;
  /** The last frame has been read; `push` returned it. */
  readonly isDone: boolean;
  readonly usage: Usage | null;
  /** The upstream reported a failure inside the stream. */
  readonly failure: Failure | null;
  /** Counts what was delivered, for when no usage is reported. */
  readonly output: OutputMeter;
  /** What the bytes are; server-sent events where it says nothing. */
  readonly contentType?: string;
  /** The frames that end a stream which was as long as it may be, where those of chat would not do. */
  cutFrames?(usage: Usage): string;
  /** The frames that end a stream which failed after it had begun, where they depend on what it said before. */
  failureFrames?(failure: Failure): string;
}

/** One operation in an upstream's dialect. Translation only: it opens no socket and keeps no state between calls. */
export interface Translation<Request extends InferenceRequest = InferenceRequest> {
  /** Whether `cache_control` on parts and tools of a chat reaches the model. */
  readonly readsCacheMarks?: boolean;
  /** The operation's own parameters that a model takes. */
  supportedParams(upstreamModel: string): readonly string[];
  /** `dropped` names the top-level members that must not be sent. */
  buildRequest(call: TranslatedCall<Request>, target: UpstreamTarget, dropped: ReadonlySet<string>): UpstreamRequest;
  readAnswer(call: TranslatedCall<Request>, text: string, headers: UpstreamHeaders): ReadAnswer;
  /** For answers that come in pieces. */
  readStream(call: TranslatedCall<Request>): StreamReader;
}

export type Translations = Readonly<Partial<Record<OperationName, Translation>>>;

/** An upstream that counts tokens itself. */
export interface TokenCounting {
  /** `body` is what a token counter was sent, with its texts as characters. */
  buildRequest(body: Readonly<Record<string, unknown>>, target: UpstreamTarget): UpstreamRequest;
  /** The same of a message of Anthropic's wire, where the upstream speaks that itself. */
  buildMessageRequest?(body: Readonly<Record<string, unknown>>, target: UpstreamTarget): UpstreamRequest;
  /** The count, or null when the answer has none. */
  readCount(text: string): number | null;
}

/** An upstream: where it is, and its dialect for each operation it offers. */
export interface Provider {
  readonly name: string;
  /** Its usual address; null when a deployment must name one. */
  readonly defaultApiBase: string | null;
  /** The variable its credential is usually found in. */
  readonly apiKeyVariable: string | null;
  /** Further variables it may be found in, by the habits of those who come from elsewhere. */
  readonly otherKeyVariables?: readonly string[];
  readonly translations: Translations;
  /** Makes what is the same in every call to a model under a credential. */
  prepare(target: TargetSettings): PreparedTarget;
  /** The lists of fields that its reference names for an operation; a later list wins. */
  requestFields(operation: OperationName): readonly RequestFields[];
  /** Names that callers may use in `extra_headers`, besides those that every provider takes. */
  readonly requestHeaders?: Readonly<Record<string, HeaderTest>>;
  /** The parameter that bounds how much its models answer. */
  readonly outputLimitParam: "max_tokens" | "max_completion_tokens";
  readFailure(status: number, headers: UpstreamHeaders, body: string): Failure;
  /** Every model of it continues a text, those made for chat as well. */
  readonly completesText?: boolean;
  /** Whether an upstream at this address has responses of its own; otherwise a model has them when its mode says so. */
  readonly hasResponses?: (target: Pick<TargetSettings, "apiBase" | "apiVersion">) => boolean;
  readonly tokenCounting?: TokenCounting;
  /** Only settings files can name it: its deployments say what is loaded into this process. */
  readonly isOnlyForFiles?: boolean;
  /** Providers that are not behind a socket bring their own way to be reached. */
  readonly localTransport?: () => Transport;
  /** Providers with several dialects: themselves, in the one that a model speaks. */
  readonly forModel?: (upstreamModel: string) => Provider;
  /** Providers whose usual address depends on a deployment's options. */
  readonly apiBaseOf?: (target: TargetSettings) => string;
  /** Providers that want more than headers which are the same in every call. */
  readonly layerOf?: (target: TargetSettings) => TransportLayer | null;
  /**
   * The variables in which a deployment's options may be found. Options of one group belong together: they are taken
   * from the environment only where the settings have none of them.
   */
  readonly optionVariables?: readonly OptionVariables[];
}

/** Options by their name in the settings, each with the variables it may be found in, the usual one first. */
export type OptionVariables = Readonly<Record<string, readonly string[]>>;

/** What a provider puts between its calls and the connections that carry them: a signature, a token, a framing. */
export interface TransportLayer {
  /** Deployments of one provider with the same identity share their connections. Made of credentials: never shown. */
  readonly identity: string;
  /** `open` makes connections to another address, under the rules that hold for the deployment's own. */
  over(connections: Transport, open: (apiBase: string) => Transport): Transport;
}
