import type { Behavior } from "@tollgate/testkit/upstream-behaviors.ts";

/** One request for both gateways, written with Tollgate's names, and the upstream's behavior. */
export interface Question {
  readonly operation: string;
  readonly scenario: string;
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** API key to send. Default: the master key. */
  readonly key?: "unknown" | "none";
  /** JSON, or text that is sent unchanged. */
  readonly body?: unknown;
  readonly form?: Readonly<Record<string, string | FormFile>>;
  readonly upstream?: Behavior;
}

export interface FormFile {
  readonly name: string;
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** Result of a question on one gateway, without values that differ from run to run. */
export interface Observation {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
  readonly upstream: readonly UpstreamRequest[];
}

export interface UpstreamRequest {
  readonly target: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** Returns the name of a question in recordings and tables. */
export function titleOf({ operation, scenario }: Pick<Question, "operation" | "scenario">): string {
  return `${operation}: ${scenario}`;
}
