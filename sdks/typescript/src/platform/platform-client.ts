import { readAmounts, writeAmounts } from "./amounts.ts";
import { type Operations, operationPaths } from "./operations.generated.ts";
import { PlatformError, readPlatformError } from "./platform-error.ts";

export type OperationId = keyof Operations;

export interface PlatformClientOptions {
  /** Where the platform is, such as `https://tollgate.example.org`. */
  readonly platformUrl: string;
  /** The token of a session; null for what needs none. Asked for before each call, so that it may be refreshed. */
  readonly token?: string | null | (() => string | null | Promise<string | null>);
  /** For every request of this client: an organization other than the session's active one. */
  readonly organizationId?: string;
  readonly timeoutMs?: number;
  /** In place of the runtime's own. */
  readonly fetch?: typeof fetch;
}

/** What a call sends: path parameters, query and body of its operation, as far as it has them. */
export type CallInput<Id extends OperationId> = Pick<
  Operations[Id],
  Extract<keyof Operations[Id], "params" | "query" | "body">
> & {
  /** Makes a change happen once, however often it is sent. */
  readonly idempotencyKey?: string;
  readonly signal?: AbortSignal;
};

const DEFAULT_TIMEOUT_MS = 30_000;

/** The management interface: every operation by its name, typed from the published description. Amounts are bigint. */
export class PlatformClient {
  readonly #options: PlatformClientOptions;

  constructor(options: PlatformClientOptions) {
    this.#options = options;
  }

  /** Calls an operation. Throws a PlatformError when the platform refuses, whatever `fetch` throws when it is not there. */
  async call<Id extends OperationId>(
    id: Id,
    input: CallInput<Id> = {} as CallInput<Id>,
  ): Promise<Operations[Id]["answer"]> {
    const response = await this.#send(id, input);
    const text = await response.text();
    if (!response.ok) throw readPlatformError(response.status, text, response.headers.get("retry-after"));
    if (text === "") return undefined as Operations[Id]["answer"];
    const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
    return (isJson ? readAmounts(JSON.parse(text)) : text) as Operations[Id]["answer"];
  }

  async #send(id: OperationId, input: CallInput<OperationId>): Promise<Response> {
    const { platformUrl, organizationId, timeoutMs = DEFAULT_TIMEOUT_MS, fetch: ask = fetch } = this.#options;
    const [method, path] = operationPaths[id];
    const { params, query, body } = input as { params?: object; query?: object; body?: object };
    const token = await this.#token();
    const limit = AbortSignal.timeout(timeoutMs);
    return ask(platformUrl.replace(/\/$/, "") + fillPath(path, params ?? {}) + toSearch(query ?? {}), {
      method,
      headers: {
        ...(token !== null && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { "content-type": "application/json" }),
        ...(organizationId !== undefined && { "x-gw-organization": organizationId }),
        ...(input.idempotencyKey !== undefined && { "idempotency-key": input.idempotencyKey }),
      },
      ...(body !== undefined && { body: writeAmounts(body) }),
      // A token must never follow a redirect to another place.
      redirect: "error",
      signal: input.signal === undefined ? limit : AbortSignal.any([limit, input.signal]),
    });
  }

  async #token(): Promise<string | null> {
    const { token = null } = this.#options;
    return typeof token === "function" ? token() : token;
  }
}

function fillPath(path: string, params: object): string {
  return path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const value = (params as Record<string, unknown>)[name];
    if (value === undefined) throw new PlatformError(0, { error: `the parameter ${name} is missing` }, null);
    return encodeURIComponent(String(value));
  });
}

function toSearch(query: object): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    for (const each of Array.isArray(value) ? value : [value])
      if (each !== undefined) search.append(name, String(each));
  }
  const text = search.toString();
  return text === "" ? "" : `?${text}`;
}
