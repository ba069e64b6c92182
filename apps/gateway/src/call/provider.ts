import type { Readable } from "node:stream";
import type { ErrorContext } from "@tollgate/contracts/error-bodies.ts";
import type { Failure } from "@tollgate/contracts/failures.ts";
import type { InferenceRequest } from "@tollgate/contracts/inference/shared-fields.ts";
import type { Price } from "@tollgate/domain/pricing/price-call.ts";
import type { RateCard } from "@tollgate/domain/pricing/rate-card.ts";
import type { Usage } from "@tollgate/domain/pricing/usage.ts";
import type { Secret } from "@tollgate/domain/secret.ts";
import type { BodyPieces } from "./body-pieces.ts";
import type { CallBody } from "./call-body.ts";
import type { Conversation } from "./conversation.ts";
import type { AnswerForm, OperationName } from "./operation-traits.ts";
import type { OutputCounter } from "./output-counter.ts";
import type { PiecedAnswer } from "./pieced-answer.ts";
import type { HeaderTest, RequestFields } from "./request-fields.ts";
import type { RequestedTools } from "./requested-tools.ts";

/** The data of a call that translations need. */
export interface TranslatedCall<Request extends InferenceRequest = InferenceRequest> {
  readonly operation: OperationName;
  readonly body: CallBody<Request>;
  readonly model: { readonly shownName: string; readonly shownJson: string };
  readonly answerForm: AnswerForm;
  readonly isStream: boolean;
  readonly wantsUsage: boolean;
  /** Number of Tollgate gateways that the call has already passed through. */
  readonly hops: number;
  /**
   * The conversation that the call continues or that a later call can continue; null or absent if there is no such
   * conversation.
   */
  readonly conversation?: Pick<Conversation, "id" | "previousId" | "isKept"> | null;
  /** The deployment that serves the call. Its price decides which facts of a response are read. */
  readonly target?: { readonly facts: { readonly rateCard: RateCard | null } } | null;
  /** What the request asks of the provider beyond its tokens. */
  readonly parts?: { readonly tools?: RequestedTools };
  /** Maximum number of output tokens set by the gateway; null if the gateway sets no limit. */
  readonly outputLimit: number | null;
  /** Headers that clients of the Anthropic Messages API send. Calls through other APIs don't have these headers. */
  readonly exchange?: {
    readonly headers: {
      readonly anthropicVersion: string | null;
      readonly anthropicBeta: string | null;
      readonly session?: string | null;
    };
  };
}

/** A request that is ready to be sent to an upstream. The path is relative to the deployment's base URL. */
export interface UpstreamRequest {
  readonly path: string;
  /** Alternating header names and values. */
  readonly headers: readonly string[];
  /** The body's bytes, or a function that opens the body as a stream and is called once per attempt. */
  readonly body: Buffer | BodyPieces | (() => Readable);
}

/** The data that all calls to a target share. It is prepared once. */
export interface PreparedTarget {
  /** The upstream model's name as JSON, one character per byte. */
  readonly modelJson: string;
  /** Alternating header names and values, separately for non-streamed and streamed responses. */
  readonly headers: readonly string[];
  readonly streamHeaders: readonly string[];
  /** Text before and after the operation's path, for upstreams whose URLs have more than a base URL and a path. */
  readonly path?: { readonly prefix: string; readonly suffix: string };
}

/** A deployment's connection settings as configured. */
export interface TargetSettings {
  readonly upstreamModel: string;
  /** The base URL. Defaults to the provider's. */
  readonly apiBase?: string | null;
  readonly apiKey: Secret | null;
  readonly apiVersion: string | null;
  /** Additional settings that some providers need, keyed by their names in the settings file. */
  readonly options: Readonly<Record<string, string | Secret>>;
  /**
   * Public model name of a deployment from a settings file. Null or absent for a deployment from the database, which
   * must not use this machine's own cloud identity, because its author may not control this machine.
   */
  readonly fileModelName?: string | null;
}

/** The target of a deployment's calls, with the data that translation needs. */
export interface UpstreamTarget extends TargetSettings {
  readonly prepared: PreparedTarget;
  /** True if parameters that a model doesn't support are dropped instead of rejected. */
  readonly dropsParams?: boolean;
  /** True if the target's key is the caller's own. */
  readonly usesOwnKey?: boolean;
  /** Handling of fields and headers that aren't listed. `forward` sends all of them. */
  readonly unknownParams?: "reject" | "drop" | "forward";
  /** Header names that the operator allows callers to send, in lowercase. */
  readonly allowedHeaders?: ReadonlySet<string>;
  readonly price?: Partial<Price> | null;
  /** Chat parameters that the model supports. Absent in tests, where the translation's list applies. */
  readonly chatParams?: ReadonlySet<string>;
  /** Known model metadata. */
  readonly facts?: {
    readonly maxInputTokens?: number | null;
    readonly maxOutputTokens: number | null;
    readonly supports_reasoning?: boolean;
    readonly rateCard?: RateCard | null;
  };
}

/** Receives the response from an upstream, either simulated or over a socket. */
export interface AnswerListener {
  onStart(control: AnswerControl, status: number, headers: UpstreamHeaders): void;
  /** The bytes are valid only during this call: a connection reads the next ones into the same memory. */
  onData(chunk: Buffer): void;
  onEnd(): void;
  /** Called if the response can't arrive or can't be completed. */
  onError(error: Error): void;
}

/** Thrown when the upstream's response can't be parsed. */
export class MalformedResponse extends Error {}

export interface AnswerControl {
  /** False if the request can't have reached the upstream; absent if this is unknown. */
  readonly wasSent?: boolean;
  pause(): void;
  resume(): void;
  abort(): void;
}

export type UpstreamHeaders = Readonly<Record<string, string | readonly string[] | undefined>>;

/** Sends requests to one upstream with one credential. */
export interface Transport {
  /** Sends the request and returns a handle that controls the exchange. The listener receives the response. */
  send(request: UpstreamRequest, listener: AnswerListener): AnswerControl;
  close(): Promise<void>;
}

/** A response in the caller's format, with the text to relay and the usage, if the upstream reported usage. */
export interface ReadAnswer {
  /** The body as a binary string, one character per byte. */
  readonly text: string;
  readonly usage: Usage | null;
  /** The content type. Defaults to JSON. */
  readonly contentType?: string;
}

/** Reads one upstream stream and produces the frames for the client. All strings have one character per byte. */
export interface StreamReader {
  /** Reads upstream bytes and returns complete frames for the client. Buffers incomplete frames. */
  push(text: string): string;
  /** Returns the remaining frames after the upstream's stream has ended. Sets `failure` if the stream was truncated. */
  end(): string;
  /** True after the last frame has been returned. */
  readonly isDone: boolean;
  readonly usage: Usage | null;
  /** The failure that the upstream reported inside the stream. */
  readonly failure: Failure | null;
  /** Counts the delivered output, in case the upstream reports no usage. */
  readonly output: OutputCounter;
  /** The content type. Defaults to server-sent events. */
  readonly contentType?: string;
  /** Returns the frames that end a stream at its output limit. Defaults to the frames of a chat stream. */
  cutFrames?(usage: Usage): string;
  /** Returns the frames that end a stream after a failure, for formats in which they depend on earlier frames. */
  failureFrames?(failure: Failure, context: ErrorContext): string;
}

/**
 * One operation in an upstream's API format. It only translates, opens no sockets, and stores no state between calls.
 */
export interface Translation<Request extends InferenceRequest = InferenceRequest> {
  /** True if `cache_control` on a chat's parts and tools is sent to the model. */
  readonly readsCacheMarks?: boolean;
  /** Returns the operation's parameters that the model supports. */
  supportedParams(upstreamModel: string): readonly string[];
  /** Builds the upstream request. `dropped` names the top-level members that must not be sent. */
  buildRequest(call: TranslatedCall<Request>, target: UpstreamTarget, dropped: ReadonlySet<string>): UpstreamRequest;
  readAnswer(call: TranslatedCall<Request>, text: string, headers: UpstreamHeaders): ReadAnswer;
  /**
   * Reads a large response without making a text of it. Returns null if `readAnswer` has to read it. Absent if the
   * translation changes more of a response than its model.
   */
  readPieces?(call: TranslatedCall<Request>, pieces: BodyPieces): PiecedAnswer | null;
  /** Creates the reader for a streamed response. */
  readStream(call: TranslatedCall<Request>): StreamReader;
}

export type Translations = Readonly<Partial<Record<OperationName, Translation>>>;

/** Token counting for an upstream that has a token counting endpoint. */
export interface TokenCounting {
  /** Builds a count request. `body` is the caller's token counter request, with its strings decoded. */
  buildRequest(body: Readonly<Record<string, unknown>>, target: UpstreamTarget): UpstreamRequest;
  /** Builds a count request for an Anthropic Messages body, if the upstream supports that API natively. */
  buildMessageRequest?(body: Readonly<Record<string, unknown>>, target: UpstreamTarget): UpstreamRequest;
  /** Returns the count, or null if the response has no count. */
  readCount(text: string): number | null;
}

/** An upstream provider, with its URL and its API format for each operation that it offers. */
export interface Provider {
  readonly name: string;
  /** The default base URL; null if every deployment must set a base URL. */
  readonly defaultApiBase: string | null;
  /** The environment variable that usually contains the API key. */
  readonly apiKeyVariable: string | null;
  /** Other environment variables that may contain the API key, for users who migrate from other tools. */
  readonly otherKeyVariables?: readonly string[];
  readonly translations: Translations;
  /** Prepares the data that all calls to a model with one credential share. */
  prepare(target: TargetSettings): PreparedTarget;
  /** Returns the field lists from the provider's reference for an operation. A later list takes precedence. */
  requestFields(operation: OperationName): readonly RequestFields[];
  /** Header names that callers may use in `extra_headers`, in addition to the names allowed for every provider. */
  readonly requestHeaders?: Readonly<Record<string, HeaderTest>>;
  /** The parameter that limits the output of the provider's models. */
  readonly outputLimitParam: "max_tokens" | "max_completion_tokens";
  readFailure(status: number, headers: UpstreamHeaders, body: string): Failure;
  /** True if a response's `usage.reportedCost` is the charge of the operator's account at this provider. */
  readonly reportsCost?: boolean;
  /** True if every model, including chat models, supports text completion. */
  readonly completesText?: boolean;
  /** The shortest duration that the provider bills for a recording. Defaults to its own duration. */
  readonly leastBilledMs?: number;
  /** Reports whether an upstream at this URL supports the Responses API. If absent, the model's mode decides. */
  readonly hasResponses?: (target: Pick<TargetSettings, "apiBase" | "apiVersion">) => boolean;
  /** Reports whether the provider has a model. Absent if its models aren't all known here. */
  readonly hasModel?: (upstreamModel: string) => boolean;
  readonly tokenCounting?: TokenCounting;
  /**
   * True if only settings files can configure this provider, because its deployments name code that is loaded into this
   * process.
   */
  readonly isOnlyForFiles?: boolean;
  /** Creates the transport for a provider that isn't reached through a socket. */
  readonly localTransport?: () => Transport;
  /** Returns the provider in the API format that the model uses, for providers with several formats. */
  readonly forModel?: (upstreamModel: string) => Provider;
  /** Returns the default base URL of a provider whose URL depends on the deployment's options. */
  readonly apiBaseOf?: (target: TargetSettings) => string;
  /** Returns the transport layer for a provider whose calls need more than static headers. */
  readonly layerOf?: (target: TargetSettings) => TransportLayer | null;
  /**
   * Returns the source of a deployment's credentials if a cloud vendor's library provides them, or null if the settings
   * contain them.
   */
  readonly credentialSourceOf?: (target: TargetSettings) => CredentialSource | null;
  /**
   * Environment variables that may contain a deployment's options. The options in one group belong together, so the
   * group is read from the environment only if the settings contain none of its options.
   */
  readonly optionVariables?: readonly OptionVariables[];
}

/** A source of credentials in an optional library of a cloud vendor. */
export interface CredentialSource {
  readonly vendor: string;
  /** The domains of the vendor's services, which the credentials are for. */
  readonly domains: readonly string[];
  /** The library's package name. */
  readonly package: string;
  /** The version that our tests run with. */
  readonly testedVersion: string;
  /** The installed version; null if the library isn't installed. */
  readonly installedVersion: string | null;
  readonly installCommand: string;
  /** Identifies the credentials. It may be derived from secrets, so it is never displayed. */
  readonly identity: string;
  /** Gets a credential now. Throws a `Failure` if the source has none or doesn't respond in time. */
  obtain(): Promise<{ readonly lifetimeMs: number }>;
}

/** Option names in the settings, each with its environment variables in order of preference. */
type OptionVariables = Readonly<Record<string, readonly string[]>>;

/**
 * A layer that a provider puts between its calls and the connections. For example, it signs requests, adds tokens, or
 * decodes frames.
 */
export interface TransportLayer {
  /**
   * Deployments of one provider with the same identity share connections. The identity is derived from credentials, so
   * it is never displayed.
   */
  readonly identity: string;
  /** Wraps the connections. `open` connects to another URL under the same rules as for the deployment's URL. */
  over(connections: Transport, open: (apiBase: string) => Transport): Transport;
}
