import type { Failure } from "@tollgate/contracts/failures.ts";
import type { Deployment } from "./deployment.ts";
import type { ReadAnswer, UpstreamHeaders } from "./provider.ts";

/** An upstream response: complete, or the beginning of a stream. */
export interface UpstreamAnswer {
  readonly deployment: Deployment;
  readonly headers: UpstreamHeaders;
  readonly sentAtMs: number;
  readonly answeredAtMs: number;
  /** The complete response in the caller's format; null for a stream. */
  readonly whole: ReadAnswer | null;
  readonly stream: UpstreamStream | null;
  /** The model that the response names, if it differs from the requested one. */
  readonly otherModel: string | null;
}

/** Receives the rest of a stream. Text has one character per byte. */
export interface StreamListener {
  onText(text: string): void;
  onEnd(): void;
  onFailure(failure: Failure): void;
  /**
   * Called when the caller's own deadline has passed. The client gets this failure, and the gateway reads the rest of
   * the response without a client.
   */
  onCallerDeadline(failure: Failure): void;
}

/** A stream in progress. Text that arrives before `listen` is buffered. */
export interface UpstreamStream {
  listen(listener: StreamListener): void;
  pause(): void;
  resume(): void;
  abort(): void;
}
