import type { Failure } from "@tollgate/contracts/failures.ts";
import type { Usage } from "@tollgate/domain/pricing/usage.ts";
import type { Secret } from "@tollgate/domain/secret.ts";
import type { ChatBody } from "../pipeline/chat-body.ts";
import type { OutputMeter } from "../tokens/output-meter.ts";

/** What translation needs to know of a chat call. */
export interface TranslatedCall {
  readonly body: ChatBody;
  readonly model: { readonly shownName: string; readonly shownJson: string };
  readonly isStream: boolean;
  readonly wantsUsage: boolean;
  /** How many gateways of this kind the call has passed. */
  readonly hops: number;
  /** Tokens the answer may have at most, when that is ours to say; null leaves it to the request. */
  readonly outputLimit: number | null;
}

/** What goes to an upstream, ready to send. Paths are relative to the deployment's address. */
export interface UpstreamRequest {
  readonly path: string;
  /** Names and values in turn. */
  readonly headers: readonly string[];
  readonly body: Buffer;
}

/** What is the same in every call to a target, so that no call has to make it again. */
export interface PreparedTarget {
  /** The upstream model's name as JSON, one character per byte. */
  readonly modelJson: string;
  /** Names and values in turn, for answers that are streamed and for those that are not. */
  readonly headers: readonly string[];
  readonly streamHeaders: readonly string[];
}

/** Where a deployment's calls go, as far as translation needs to know. */
export interface UpstreamTarget {
  readonly prepared: PreparedTarget;
  readonly upstreamModel: string;
  readonly apiKey: Secret | null;
  readonly apiVersion: string | null;
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
export class UnreadableAnswer extends Error {}

export interface AnswerControl {
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
}

/** An upstream's dialect. Translation only: it opens no socket and keeps no state between calls. */
export interface Provider {
  readonly name: string;
  /** Its usual address; null when a deployment must name one. */
  readonly defaultApiBase: string | null;
  /** The variable its credential is usually found in. */
  readonly apiKeyVariable: string | null;
  supportedParams(model: string): readonly string[];
  /** Makes what is the same in every call to a model under a credential. */
  prepare(upstreamModel: string, apiKey: Secret | null): PreparedTarget;
  /** `dropped` names the top-level members that must not be sent. */
  buildRequest(call: TranslatedCall, target: UpstreamTarget, dropped: ReadonlySet<string>): UpstreamRequest;
  /** The parameter that bounds how much its models answer. */
  readonly outputLimitParam: "max_tokens" | "max_completion_tokens";
  readAnswer(call: TranslatedCall, text: string): ReadAnswer;
  readStream(call: TranslatedCall): StreamReader;
  readFailure(status: number, headers: UpstreamHeaders, body: string): Failure;
  /** Providers that are not behind a socket bring their own way to be reached. */
  readonly localTransport?: () => Transport;
}
