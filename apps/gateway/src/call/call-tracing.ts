import type { Deployment } from "./deployment.ts";
import type { Exchange } from "./exchange.ts";

/** Collects data about a running call, so that its spans can be written when it ends. */
export interface CallTrace {
  /** Begins an attempt. Returns the trace context to send upstream. */
  beginAttempt(deployment: Deployment, sentAtMs: number): string;
  /** Records that the attempt failed or that its response was truncated. */
  failAttempt(error: unknown, nowMs: number): void;
  /** Receives response text from the upstream, to find the finish reason. */
  addText(text: string): void;
}

/** Decides which calls are traced. */
export interface CallTracing {
  /** Begins a call's trace. Returns null if the call isn't traced, as is the case for nearly every call. */
  begin(exchange: Exchange): CallTrace | null;
}
