import type { OperationDescription } from "@tollgate/contracts/operations.ts";
import type { Settings } from "@tollgate/runtime/settings/settings.ts";
import type { Caller } from "../call/caller.ts";
import type { ApiContext } from "./api-context.ts";

/** Input of an operation outside the fast path: the parsed and validated parameters. */
interface PageInput<Query> {
  readonly query: Query;
  readonly params: Readonly<Record<string, string>>;
  readonly acceptsGzip: boolean;
}

export interface KeyedInput<Query, Body = unknown> extends PageInput<Query> {
  readonly caller: Caller;
  /** Call ID of the response. */
  readonly callId: string;
  /** URL of the documentation, for the links in errors of a stream. */
  readonly docsUrl: string;
  /** Parsed and validated body; empty if the operation has no body. */
  readonly body: Body;
}

/** Response of an operation outside the fast path. The call ID, version, and CORS headers are added to it. */
export interface PageAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly content: string | Buffer | StreamedContent;
}

/**
 * Streamed content, produced no faster than the client reads it. The signal fires with a `StreamEnd` if the stream must
 * end early.
 */
export type StreamedContent = (ending: AbortSignal) => AsyncIterable<string>;

/** An operation whose caller is authenticated and admitted before it runs. */
export interface KeyedOperation<Query = unknown, Body = unknown> extends OperationDescription {
  readonly auth: "key";
  handle(input: KeyedInput<Query, Body>, context: ApiContext): PageAnswer | Promise<PageAnswer>;
}

/** An operation without authentication. */
export interface OpenOperation<Query = unknown> extends OperationDescription {
  readonly auth: "none";
  handle(input: PageInput<Query>, context: ApiContext): PageAnswer | Promise<PageAnswer>;
}

/** An operation that requires a key unless the settings disable the requirement. */
export interface GuardedOperation<Query = unknown> extends OperationDescription {
  readonly auth: "key";
  needsKey(settings: Settings): boolean;
  handle(
    input: PageInput<Query> & { readonly caller: Caller | null },
    context: ApiContext,
  ): PageAnswer | Promise<PageAnswer>;
}

/** An operation outside the fast path. It receives its input and returns its response. */
export type PageOperation = KeyedOperation | OpenOperation | GuardedOperation;

/**
 * Creates a JSON response. Its content is bytes, because the framework would add a charset to text, and the JSON media
 * type has no charset.
 */
export function answerJson(value: unknown, status = 200): PageAnswer {
  return { status, headers: { "content-type": "application/json" }, content: Buffer.from(JSON.stringify(value)) };
}

/** Creates a redirect to another path on this server. */
export function redirectTo(location: string): PageAnswer {
  return { status: 302, headers: { location, "content-type": "text/plain; charset=utf-8" }, content: location };
}
