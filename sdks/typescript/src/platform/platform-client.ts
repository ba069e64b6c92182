import { fillPath, toSearch } from "../http/request-address.ts";
import { type Answer, type SendOptions, sendRequest } from "../http/send-request.ts";
import { readServerSentEvents } from "../http/server-sent-events.ts";
import { readAmounts, writeAmounts } from "./amounts.ts";
import { type Operations, operationPaths } from "./operations.generated.ts";

export type OperationId = keyof Operations;

export interface PlatformClientOptions extends SendOptions {
  /**
   * Platform URL, such as `https://tollgate.example.org`. On a platform page, this is the page's base path, usually "".
   */
  readonly platformUrl: string;
  /**
   * Session token; null for operations without authentication. A function is called before each request, so it can
   * refresh the token.
   */
  readonly token?: string | null | (() => string | null | Promise<string | null>);
  /**
   * Authentication method. `cookie` is for the platform's own web pages, which sign in with a cookie and send no token.
   */
  readonly session?: "token" | "cookie";
  /** Organization for all of this client's requests, if it differs from the session's active organization. */
  readonly organizationId?: string | (() => string | null | Promise<string | null>);
}

/** Input of a call: the operation's path parameters, query, and body, as applicable. */
export type CallInput<Id extends OperationId> = Pick<
  Operations[Id],
  Extract<keyof Operations[Id], "params" | "query" | "body">
> & {
  /** Idempotency key. A change sent several times with the same key is applied once. */
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
};

/** Operations that return a list. */
export type ListId = {
  [Id in OperationId]: Operations[Id]["answer"] extends { readonly data: readonly unknown[] } ? Id : never;
}[OperationId];
export type RowOf<Id extends ListId> = Operations[Id]["answer"] extends { readonly data: readonly (infer Row)[] }
  ? Row
  : never;

export interface RawAnswer<Data> {
  readonly data: Data;
  readonly status: number;
  readonly headers: Headers;
  readonly requestId: string | null;
}

export interface PlatformEvent {
  readonly event: string;
  /** Event data, parsed if it is JSON. */
  readonly data: unknown;
}

/** A request by path, for endpoints without an operation. */
export interface PathRequest {
  readonly query?: object;
  readonly body?: object;
  readonly headers?: Readonly<Record<string, string>>;
  readonly idempotencyKey?: string | undefined;
  readonly signal?: AbortSignal | undefined;
}

/** Client for the management API: every operation by name, typed from the OpenAPI document. Amounts are bigint. */
export class PlatformClient {
  readonly #options: PlatformClientOptions;

  constructor(options: PlatformClientOptions) {
    this.#options = options;
  }

  /** Calls an operation. Throws an ApiError, or a ConnectionError if the platform is unreachable. */
  async call<Id extends OperationId>(
    id: Id,
    input: CallInput<Id> = {} as CallInput<Id>,
  ): Promise<Operations[Id]["answer"]> {
    return (await this.raw(id, input)).data;
  }

  /** Like `call`, but also returns the status and headers. */
  async raw<Id extends OperationId>(
    id: Id,
    input: CallInput<Id> = {} as CallInput<Id>,
  ): Promise<RawAnswer<Operations[Id]["answer"]>> {
    const [method, path, request] = toPathRequest(id, input);
    return (await this.request(method, path, request)) as RawAnswer<Operations[Id]["answer"]>;
  }

  /** Yields each page of a list, starting with the requested page. Uses the cursor if the list has one. */
  async *pages<Id extends ListId>(
    id: Id,
    input: CallInput<Id> = {} as CallInput<Id>,
  ): AsyncGenerator<Operations[Id]["answer"]> {
    let query = (input as { query?: object }).query ?? {};
    for (;;) {
      const answer = await this.call(id, { ...input, query } as CallInput<Id>);
      yield answer;
      const next = nextPage(answer as unknown as ListAnswer, query);
      if (next === null) return;
      query = next;
    }
  }

  /** Yields each row of a list across all pages. */
  async *all<Id extends ListId>(id: Id, input: CallInput<Id> = {} as CallInput<Id>): AsyncGenerator<RowOf<Id>> {
    for await (const page of this.pages(id, input)) yield* (page as unknown as { data: readonly RowOf<Id>[] }).data;
  }

  /** Yields the events of a streamed response. Leaving the loop closes the stream. */
  async *events<Id extends OperationId>(
    id: Id,
    input: CallInput<Id> = {} as CallInput<Id>,
  ): AsyncGenerator<PlatformEvent> {
    const [method, path, request] = toPathRequest(id, input);
    const { response } = await this.#send(method, path, request, "stream");
    if (response.body === null) return;
    for await (const { event, data } of readServerSentEvents(response.body)) yield { event, data: readEventData(data) };
  }

  /** Yields the bytes of a response as they arrive, for files too large for memory. */
  async *chunks<Id extends OperationId>(
    id: Id,
    input: CallInput<Id> = {} as CallInput<Id>,
  ): AsyncGenerator<Uint8Array> {
    const [method, path, request] = toPathRequest(id, input);
    const { response } = await this.#send(method, path, { ...request, headers: { accept: "*/*" } }, "stream");
    const reader = response.body?.getReader();
    try {
      for (let part = await reader?.read(); part?.value !== undefined; part = await reader?.read()) yield part.value;
    } finally {
      await reader?.cancel().catch(() => undefined);
    }
  }

  /** Sends a request to any path under the platform URL with this client's credential. */
  async request(method: string, path: string, request: PathRequest = {}): Promise<RawAnswer<unknown>> {
    const { status, headers, text } = await this.#send(method, path, request, "text");
    const isJson = headers.get("content-type")?.includes("json") === true;
    const data = text === "" ? undefined : isJson ? readAmounts(JSON.parse(text)) : text;
    return { data, status, headers, requestId: headers.get("x-request-id") };
  }

  async #send(method: string, path: string, request: PathRequest, want: "text" | "stream"): Promise<Answer> {
    const { platformUrl, session = "token" } = this.#options;
    const { body, idempotencyKey } = request;
    const isRead = method === "GET" || method === "HEAD";
    const token = session === "cookie" ? null : await this.#token();
    const organizationId = await this.#organizationId();
    return sendRequest(
      {
        method,
        url: platformUrl.replace(/\/$/, "") + path + toSearch(request.query ?? {}),
        headers: {
          ...(token !== null && { authorization: `Bearer ${token}` }),
          ...(session === "cookie" && !isRead && { "x-gw-csrf": "1" }),
          ...(body !== undefined && { "content-type": "application/json" }),
          ...(organizationId !== null && { "x-gw-organization": organizationId }),
          ...(idempotencyKey !== undefined && { "idempotency-key": idempotencyKey }),
          ...(want === "stream" && { accept: "text/event-stream" }),
          ...request.headers,
        },
        ...(body !== undefined && { body: writeAmounts(body) }),
        signal: request.signal,
        credentials: session === "cookie" ? "same-origin" : "omit",
        isSafe: isRead || idempotencyKey !== undefined,
      },
      this.#options,
      want,
    );
  }

  async #token(): Promise<string | null> {
    const { token = null } = this.#options;
    return typeof token === "function" ? token() : token;
  }

  async #organizationId(): Promise<string | null> {
    const { organizationId = null } = this.#options;
    return typeof organizationId === "function" ? organizationId() : organizationId;
  }
}

interface ListAnswer {
  readonly meta?: {
    readonly page?: number;
    readonly totalPages?: number;
    readonly nextCursor?: string | null;
  };
}

/** Returns the query for the next page. A cursor keeps its position even if rows are added at the front. */
function nextPage({ meta }: ListAnswer, query: object): object | null {
  if (meta === undefined) return null;
  if (meta.nextCursor !== undefined) {
    return meta.nextCursor === null ? null : { ...query, page: undefined, cursor: meta.nextCursor };
  }
  const { page = 1, totalPages = 1 } = meta;
  return page < totalPages ? { ...query, page: page + 1 } : null;
}

function toPathRequest(id: OperationId, input: CallInput<OperationId>): [string, string, PathRequest] {
  const [method, path] = operationPaths[id];
  const { params = {}, query, body, idempotencyKey, signal } = input as PathRequest & { params?: object };
  return [
    method,
    fillPath(path, params),
    { ...(query !== undefined && { query }), ...(body !== undefined && { body }), idempotencyKey, signal },
  ];
}

function readEventData(text: string): unknown {
  try {
    return readAmounts(JSON.parse(text));
  } catch {
    return text;
  }
}
