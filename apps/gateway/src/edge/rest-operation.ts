import type { OperationDescription } from "@tollgate/contracts/operations.ts";
import type { Settings } from "@tollgate/runtime/settings/settings.ts";
import type { Caller } from "../pipeline/caller.ts";
import type { ApiContext } from "./rest-context.ts";

/** What a page is asked: its parameters, read and checked. */
export interface PageInput<Query> {
  readonly query: Query;
  readonly params: Readonly<Record<string, string>>;
  readonly acceptsGzip: boolean;
}

export interface KeyedInput<Query, Body = unknown> extends PageInput<Query> {
  readonly caller: Caller;
  /** What the answer names this request by. */
  readonly callId: string;
  /** Read and checked; empty where the operation takes none. */
  readonly body: Body;
}

/** What a page answers; the call id, version and cross-origin headers are added for it. */
export interface PageAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly content: string | Buffer | StreamedContent;
}

/**
 * Content that comes piece by piece, no faster than the client takes it. The signal fires with a `StreamEnd` when it must
 * end early.
 */
export type StreamedContent = (ending: AbortSignal) => AsyncIterable<string>;

/** An operation whose caller is known and admitted before it runs. */
export interface KeyedOperation<Query = unknown, Body = unknown> extends OperationDescription {
  readonly auth: "key";
  handle(input: KeyedInput<Query, Body>, context: ApiContext): PageAnswer | Promise<PageAnswer>;
}

/** An operation that anyone may use. */
export interface OpenOperation<Query = unknown> extends OperationDescription {
  readonly auth: "none";
  handle(input: PageInput<Query>, context: ApiContext): PageAnswer | Promise<PageAnswer>;
}

/** An operation that needs a key unless the settings say otherwise. */
export interface GuardedOperation<Query = unknown> extends OperationDescription {
  readonly auth: "key";
  needsKey(settings: Settings): boolean;
  handle(
    input: PageInput<Query> & { readonly caller: Caller | null },
    context: ApiContext,
  ): PageAnswer | Promise<PageAnswer>;
}

/** An operation off the fast path: it is handed parameters and returns its answer. */
export type PageOperation = KeyedOperation | OpenOperation | GuardedOperation;

/** A JSON answer. Bytes, because the framework adds a charset to the type of text, and JSON has none. */
export function answerJson(value: unknown, status = 200): PageAnswer {
  return { status, headers: { "content-type": "application/json" }, content: Buffer.from(JSON.stringify(value)) };
}

/** Sends the client to another path of this server. */
export function redirectTo(location: string): PageAnswer {
  return { status: 302, headers: { location, "content-type": "text/plain; charset=utf-8" }, content: location };
}
