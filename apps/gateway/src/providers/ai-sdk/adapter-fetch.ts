import type { AnswerControl, AnswerListener, Transport, UpstreamHeaders } from "../../call/provider.ts";

/** Maximum size of one response that an adapter reads. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;
/** Statuses for which a Response can't have a body. */
const withoutBody: ReadonlySet<number> = new Set([204, 205, 304]);
/** Connection headers, which the gateway sets itself. */
const connectionHeaders: ReadonlySet<string> = new Set([
  "accept-encoding",
  "connection",
  "content-length",
  "host",
  "transfer-encoding",
]);

/**
 * Creates a `fetch` for adapters that uses the gateway's connections, so that DNS lookups, connection limits, and
 * aborts work as in any other call. It sends only POST requests, follows no redirects, and never retries.
 */
export function createAdapterFetch(connectionsTo: (origin: string) => Transport): typeof globalThis.fetch {
  return async (input, init) => {
    const url = new URL(input instanceof Request ? input.url : input);
    if ((init?.method ?? "GET") !== "POST") throw new Error("an adapter can only send POST requests");
    const signal = init?.signal ?? null;
    signal?.throwIfAborted();
    const headers = new Headers(init?.headers);
    for (const name of connectionHeaders) headers.delete(name);
    const { body } = init ?? {};
    if (typeof body !== "string" && !(body instanceof Uint8Array))
      throw new Error("an adapter can only send text bodies");
    const request = {
      path: url.pathname + url.search,
      // Request an uncompressed response, because the gateway never decompresses responses.
      headers: [...[...headers].flat(), "accept-encoding", "identity"],
      body: Buffer.from(body),
    };
    return new Promise((resolve, reject) => {
      const answer = new FetchedAnswer(resolve, reject);
      const control = connectionsTo(url.origin).send(request, answer);
      answer.control = control;
      signal?.addEventListener("abort", () => answer.giveUp(signal.reason), { once: true });
    });
  };
}

/** Converts connection events to the response that `fetch` resolves to, with backpressure. */
class FetchedAnswer implements AnswerListener {
  control: AnswerControl | null = null;
  readonly #resolve: (response: Response) => void;
  readonly #reject: (reason: unknown) => void;
  #body: ReadableStreamDefaultController<Uint8Array> | null = null;
  #length = 0;

  constructor(resolve: (response: Response) => void, reject: (reason: unknown) => void) {
    this.#resolve = resolve;
    this.#reject = reject;
  }

  onStart(control: AnswerControl, status: number, headers: UpstreamHeaders): void {
    this.control = control;
    const stream = new ReadableStream<Uint8Array>({
      start: (body) => {
        this.#body = body;
      },
      pull: () => control.resume(),
      cancel: () => control.abort(),
    });
    const reported = new Headers();
    for (const [name, value] of Object.entries(headers)) {
      for (const one of [value ?? []].flat()) reported.append(name, one);
    }
    this.#resolve(new Response(withoutBody.has(status) ? null : stream, { status, headers: reported }));
  }

  onData(chunk: Buffer): void {
    this.#length += chunk.length;
    if (this.#length > MAX_ANSWER_BYTES) return this.giveUp(new Error("the response exceeds the size limit"));
    this.#body?.enqueue(Buffer.from(chunk));
    if ((this.#body?.desiredSize ?? 1) <= 0) this.control?.pause();
  }

  onEnd(): void {
    this.#body?.close();
    this.#body = null;
  }

  onError(error: Error): void {
    this.#reject(error);
    this.#body?.error(error);
    this.#body = null;
  }

  giveUp(reason: unknown): void {
    this.onError(reason instanceof Error ? reason : new Error(String(reason)));
    this.control?.abort();
  }
}
