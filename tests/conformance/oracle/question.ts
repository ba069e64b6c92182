import type { Behavior } from "@tollgate/testkit/upstream-behaviors.ts";

/**
 * One request for both gateways, written with Tollgate's names, and the upstream's behavior. `$NAME` in a path, a body, or
 * a key stands for the value that an earlier question kept under this name.
 */
export interface Question {
  readonly operation: string;
  readonly scenario: string;
  readonly method: "GET" | "POST" | "DELETE";
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** API key to send. Default: the master key. */
  readonly key?: "unknown" | "none" | `$${string}`;
  /** JSON, or text that is sent unchanged. */
  readonly body?: unknown;
  readonly form?: Readonly<Record<string, string | FormFile>>;
  readonly upstream?: Behavior;
  /** True if a gateway calls the upstream at an unpredictable time, so that upstream requests can't be compared. */
  readonly ignoresUpstream?: true;
  /** JSON pointers to the values in the response that later questions need, by name. */
  readonly keeps?: Readonly<Record<string, string>>;
  /**
   * Repeats the request until this condition holds, because both gateways record usage, and apply changes of models, in
   * the background.
   */
  readonly until?: (body: unknown) => boolean;
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
