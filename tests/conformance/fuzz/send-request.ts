import { isUtf8 } from "node:buffer";
import { Agent, request as requestHttp } from "node:http";
import type { DevInstance } from "@tollgate/testkit/processes/start-instance.ts";
import type { FuzzRequest } from "./fuzz-request.ts";
import { toComponent } from "./request-parts.ts";

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
  readonly body: string;
  readonly isText: boolean;
  /** True if the connection broke before the response was complete. */
  readonly isCut: boolean;
}

const ANSWER_LIMIT_MS = 60_000;
const UNKNOWN_KEY = "sk-tg-000000000000000000000000000000000000000000000000";
const TOKEN = "eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJ1c3JfMSJ9.c2lnbmF0dXJl";

/** Sends generated requests over keep-alive connections, as clients do. */
export class Sender {
  readonly #agent = new Agent({ keepAlive: true, maxSockets: 32 });
  readonly #tollgate: DevInstance;

  constructor(tollgate: DevInstance) {
    this.#tollgate = tollgate;
  }

  /** Resolves with the response on the given path, even if the response is incomplete. Rejects on timeout. */
  send(fuzz: FuzzRequest, path: string): Promise<Answer> {
    const { promise, resolve, reject } = Promise.withResolvers<Answer>();
    const { hostname, port } = new URL(this.#tollgate.baseUrl);
    const request = requestHttp({
      hostname,
      port,
      // Pass the path separately, because a URL would be normalized.
      path,
      method: fuzz.method,
      agent: this.#agent,
      headers: this.#headersOf(fuzz),
      signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
    });
    request.on("error", reject);
    request.once("response", (response) => {
      const chunks: Buffer[] = [];
      response.on("data", (chunk: Buffer) => chunks.push(chunk));
      const finish = (isCut: boolean) => {
        const { statusCode = 0, headers } = response;
        const bytes = Buffer.concat(chunks);
        const isText = isUtf8(bytes);
        resolve({ status: statusCode, headers, body: bytes.toString(isText ? "utf8" : "latin1"), isText, isCut });
      };
      response.once("error", () => finish(true));
      response.once("end", () => finish(false));
    });
    request.end(fuzz.body ?? undefined);
    return promise;
  }

  close(): void {
    this.#agent.destroy();
  }

  #headersOf({ headers, key, keyHeader, contentType, body }: FuzzRequest): string[] {
    const all: (readonly [string, string])[] = [...headers];
    if (!all.some(([name]) => name === "content-type") && body !== null) all.push(["content-type", contentType]);
    if (body !== null) all.push(["content-length", String(body.length)]);
    const value = this.#keyOf(key);
    if (value !== null) all.push([keyHeader, keyHeader === "authorization" ? `Bearer ${value}` : value]);
    return ["host", new URL(this.#tollgate.baseUrl).host, ...all.flat()];
  }

  #keyOf(key: FuzzRequest["key"]): string | null {
    switch (key) {
      case "good":
        return this.#tollgate.apiKey;
      case "master":
        return this.#tollgate.masterKey;
      case "unknown":
        return UNKNOWN_KEY;
      case "malformed":
        return "sk-";
      case "token":
        return TOKEN;
      case "none":
        return null;
    }
  }
}

/** Returns all paths of the request's operation. */
export function pathsOf({ operation, pathValue, query }: FuzzRequest): readonly string[] {
  return operation.paths.map((path) => path.replaceAll(/\{\w+\}/g, toComponent(pathValue)) + query);
}
