import type { Behavior } from "@tollgate/testkit/upstream-behaviours.ts";

/** One request that both gateways are asked, in Tollgate's names, and what their upstream does meanwhile. */
export interface Question {
  readonly operation: string;
  readonly scenario: string;
  readonly method: "GET" | "POST";
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** The key it carries: the master key unless said otherwise. */
  readonly key?: "unknown" | "none";
  /** JSON, or text that is sent as it is. */
  readonly body?: unknown;
  readonly form?: Readonly<Record<string, string | FormFile>>;
  readonly upstream?: Behavior;
}

export interface FormFile {
  readonly name: string;
  readonly type: string;
  readonly bytes: Uint8Array;
}

/** What came of a question on one side, free of what differs from run to run. */
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

/** The name a question has in recordings and tables. */
export function titleOf({ operation, scenario }: Pick<Question, "operation" | "scenario">): string {
  return `${operation}: ${scenario}`;
}
