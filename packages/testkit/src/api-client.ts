export interface ApiRequest {
  /** Sent as the bearer token. */
  readonly token?: string;
  /** Strings are sent unchanged; other values are sent as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface ApiAnswer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests inspect responses of every shape.
  readonly body: any;
}

export type Api = (method: string, path: string, request?: ApiRequest) => Promise<ApiAnswer>;

/** Creates a client for the API at this URL. */
export function createApi(url: string): Api {
  return async (method, path, { token, body, headers } = {}) => {
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { "content-type": "application/json" }),
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.startsWith("application/json") === true;
    return { status: response.status, headers: response.headers, text, body: isJson ? JSON.parse(text) : null };
  };
}
