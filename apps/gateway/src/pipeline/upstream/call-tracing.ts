import type { Exchange } from "../../edge/exchange.ts";
import type { Deployment } from "../../model-list/deployment.ts";

/** What a call tells of itself while it runs, so that its spans can be written when it is over. */
export interface CallTrace {
  /** An attempt begins. Gives the trace context that its upstream is told. */
  beginAttempt(deployment: Deployment, sentAtMs: number): string;
  /** It ended without an answer, or its answer broke off. */
  failAttempt(error: unknown, nowMs: number): void;
  /** Text of its answer as the upstream sent it, to find out how it ended. */
  hear(text: string): void;
}

/** Decides which calls are traced. */
export interface CallTracing {
  /** Null for those that are not, which are nearly all. */
  begin(exchange: Exchange): CallTrace | null;
}
