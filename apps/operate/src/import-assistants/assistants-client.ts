import { setTimeout as pause } from "node:timers/promises";
import { EXIT } from "@tollgate/runtime/exit.ts";
import type { Fields } from "./read-export.ts";

export type Answer =
  | { readonly kind: "done"; readonly body: Fields }
  | { readonly kind: "refused"; readonly status: number; readonly message: string };

/** Thrown if the gateway is unavailable or rejects the key. The error ends the import. */
export class GatewayUnusable extends Error {
  readonly exitCode: number;
  constructor(message: string, exitCode: number) {
    super(message);
    this.exitCode = exitCode;
  }
}

const REQUEST_LIMIT_MS = 60_000;
const PAUSES_MS = [1_000, 2_000, 4_000, 8_000];
const MAX_PAUSE_MS = 30_000;
const PAGE = 100;

/** Calls the gateway's API with one key. */
export class AssistantsClient {
  readonly #baseUrl: string;
  readonly #key: string;

  constructor(baseUrl: string, key: string) {
    this.#baseUrl = baseUrl;
    this.#key = key;
  }

  get(path: string): Promise<Answer> {
    return this.#call("GET", path);
  }

  post(path: string, body: Fields): Promise<Answer> {
    return this.#call("POST", path, JSON.stringify(body));
  }

  delete(path: string): Promise<Answer> {
    return this.#call("DELETE", path);
  }

  /** Yields all objects in a list, page by page. */
  async *list(path: string, order: "asc" | "desc"): AsyncGenerator<Fields> {
    let after = "";
    for (;;) {
      const answer = await this.get(`${path}?limit=${PAGE}&order=${order}${after}`);
      if (answer.kind === "refused") throw new GatewayUnusable(answer.message, EXIT.failure);
      const { data, has_more: hasMore, last_id: lastId } = answer.body;
      yield* data as Fields[];
      if (hasMore !== true) return;
      after = `&after=${encodeURIComponent(String(lastId))}`;
    }
  }

  /**
   * Retries only if the response guarantees that the gateway did not execute the request. A broken connection doesn't
   * guarantee that.
   */
  async #call(method: string, path: string, body?: string): Promise<Answer> {
    for (let tries = 0; ; tries += 1) {
      const response = await this.#send(method, path, body);
      const isBusy = isBusyAnswer(response);
      const patience = PAUSES_MS[tries];
      if (isBusy && patience !== undefined) {
        await response.body?.cancel();
        await pause(readRetryAfter(response) ?? patience);
        continue;
      }
      const answer = await readAnswer(response);
      if (response.ok) return { kind: "done", body: answer };
      const message = readMessage(answer) ?? `The gateway returned status ${response.status}.`;
      if (response.status === 401 || response.status === 403) throw new GatewayUnusable(message, EXIT.notPermitted);
      if (isBusy) throw new GatewayUnusable(message, EXIT.temporary);
      if (response.status === 429 || response.status >= 500) throw new GatewayUnusable(message, EXIT.failure);
      return { kind: "refused", status: response.status, message };
    }
  }

  async #send(method: string, path: string, body: string | undefined): Promise<Response> {
    try {
      return await fetch(`${this.#baseUrl}/v1${path}`, {
        method,
        headers: {
          authorization: `Bearer ${this.#key}`,
          ...(body !== undefined && { "content-type": "application/json" }),
        },
        ...(body !== undefined && { body }),
        redirect: "error", // A redirect target must not receive the key.
        signal: AbortSignal.timeout(REQUEST_LIMIT_MS),
      });
    } catch (error) {
      const cause = (error as Error).cause as NodeJS.ErrnoException | undefined;
      const reason = cause?.code ?? (error as Error).message;
      throw new GatewayUnusable(`${this.#baseUrl} is not responding (${reason}).`, EXIT.temporary);
    }
  }
}

function isBusyAnswer({ status, headers }: Response): boolean {
  return (status === 429 || status === 503) && headers.get("x-should-retry") !== "false";
}

async function readAnswer(response: Response): Promise<Fields> {
  try {
    return (await response.json()) as Fields;
  } catch {
    if (!response.ok) return {};
    throw new GatewayUnusable("The response is not JSON. Check that the URL belongs to a gateway.", EXIT.failure);
  }
}

function readMessage({ error }: Fields): string | null {
  const message = (error as Fields | undefined)?.message;
  return typeof message === "string" ? message : null;
}

function readRetryAfter(response: Response): number | null {
  const seconds = Number(response.headers.get("retry-after") ?? Number.NaN);
  return Number.isFinite(seconds) && seconds > 0 ? Math.min(seconds * 1_000, MAX_PAUSE_MS) : null;
}
