import type { Exchange } from "../../edge/exchange.ts";
import type { Deployment } from "../../model-list/deployment.ts";

/** Collects data about a running call, so that its spans can be written when it ends. */
export interface CallTrace {
  /** Begins an attempt. Returns the trace context to send upstream. */
  beginAttempt(deployment: Deployment, sentAtMs: number): string;
  /** Records that the attempt failed or its response was truncated. */
  failAttempt(error: unknown, nowMs: number): void;
  /** Receives response text from the upstream, to find the finish reason. */
  addText(text: string): void;
}

/** Decides which calls are traced. */
export interface CallTracing {
  /** Returns null for a call that is not traced, which is nearly every call. */
  begin(exchange: Exchange): CallTrace | null;
}
