import type { AnswerControl, AnswerListener, UpstreamRequest } from "../../call/provider.ts";
import { AdapterStream } from "./adapter-stream.ts";
import type { AdapterProvider, StreamPart } from "./model-v4.ts";
import { type AdapterFailure, readAdapterError } from "./read-adapter-error.ts";
import { toCallOptions, type WireChatRequest } from "./to-call-options.ts";
import { writeChatAnswer, writeVectors } from "./write-answer.ts";

interface AskedVectors {
  readonly model: string;
  readonly input: string | readonly string[];
  readonly dimensions?: number | null;
}

/**
 * Matches package-specific names for the output limit, which are rejected because the hold covers only `max_tokens`.
 */
const ownLimit = /^max_?\w*tokens$/i;

/** Body and authorization headers, which the package sets itself. */
const bodyHeaders: ReadonlySet<string> = new Set(["content-type", "accept", "accept-encoding", "authorization"]);

/** One call to a package's model. It can be paused and aborted. */
export class AdapterExchange implements AnswerControl {
  readonly #listener: AnswerListener;
  readonly #leaving = new AbortController();
  #resumed: Promise<void> | null = null;
  #resume: (() => void) | null = null;

  constructor(listener: AnswerListener) {
    this.#listener = listener;
  }

  pause(): void {
    this.#resumed ??= new Promise((resolve) => {
      this.#resume = resolve;
    });
  }

  resume(): void {
    this.#resume?.();
    this.#resumed = null;
    this.#resume = null;
  }

  abort(): void {
    this.#leaving.abort();
    this.resume();
  }

  /** Runs the call. Never rejects, because the listener receives errors in the form that an upstream would send. */
  async run(adapter: AdapterProvider, request: UpstreamRequest): Promise<void> {
    try {
      const body: unknown = JSON.parse(request.body.toString("utf8"));
      const headers = headersOf(request.headers);
      if (request.path === "/embeddings") await this.#embed(adapter, body as AskedVectors, headers);
      else await this.#chat(adapter, body as WireChatRequest, headers);
    } catch (error) {
      this.#fail(readAdapterError(error));
    }
  }

  async #chat(
    adapter: AdapterProvider,
    asked: WireChatRequest,
    headers: Readonly<Record<string, string>>,
  ): Promise<void> {
    const limit = Object.keys(asked).find((name) => name !== "max_tokens" && ownLimit.test(name));
    if (limit !== undefined) return this.#refuse(400, `Send 'max_tokens' instead of '${limit}'.`);
    const model = adapter.languageModel(asked.model);
    const options = toCallOptions(asked, model.provider, headers, this.#leaving.signal);
    if (asked.stream !== true) return this.#complete(writeChatAnswer(asked.model, await model.doGenerate(options)));
    const { stream } = await model.doStream(options);
    await this.#relay(stream, new AdapterStream(asked.model));
  }

  async #relay(stream: ReadableStream<StreamPart>, frames: AdapterStream): Promise<void> {
    let hasBegun = false;
    for await (const part of stream) {
      if (this.#leaving.signal.aborted) return;
      // A failure before any output is sent as an error response, so that another deployment can be tried.
      if (part.type === "error") {
        const failure = readAdapterError(part.error);
        if (!hasBegun || failure.kind === "broken") return this.#fail(failure);
        return this.#end(frames.failure(failure.body));
      }
      const text = frames.write(part);
      if (text === "") continue;
      if (!hasBegun) this.#listener.onStart(this, 200, { "content-type": "text/event-stream" });
      hasBegun = true;
      this.#listener.onData(Buffer.from(text));
      if (frames.isDone) return this.#listener.onEnd();
      if (this.#resumed !== null) await this.#resumed;
    }
    if (!this.#leaving.signal.aborted) this.#listener.onError(new Error("the adapter's stream ended early"));
  }

  async #embed(
    adapter: AdapterProvider,
    { model: id, input, dimensions }: AskedVectors,
    headers: Readonly<Record<string, string>>,
  ): Promise<void> {
    const model = adapter.embeddingModel?.(id);
    if (model === undefined) return this.#refuse(400, "This adapter does not support embeddings.");
    const values = typeof input === "string" ? [input] : input;
    const most = await model.maxEmbeddingsPerCall;
    if (most !== undefined && values.length > most) {
      return this.#refuse(400, `This model accepts at most ${most} texts per embeddings request.`);
    }
    const options = { values, headers, abortSignal: this.#leaving.signal, ...(dimensions != null && { dimensions }) };
    const { embeddings, usage } = await model.doEmbed(options);
    this.#complete(writeVectors(id, embeddings, usage?.tokens));
  }

  #complete(body: string): void {
    if (this.#leaving.signal.aborted) return;
    this.#listener.onStart(this, 200, { "content-type": "application/json" });
    this.#end(body);
  }

  #refuse(status: number, message: string): void {
    this.#fail({ kind: "answered", status, headers: {}, body: JSON.stringify({ error: { message } }) });
  }

  #fail(failure: AdapterFailure): void {
    if (this.#leaving.signal.aborted) return;
    if (failure.kind === "broken") return this.#listener.onError(failure.error);
    this.#listener.onStart(this, failure.status, { ...failure.headers, "content-type": "application/json" });
    this.#end(failure.body);
  }

  #end(text: string): void {
    this.#listener.onData(Buffer.from(text));
    this.#listener.onEnd();
  }
}

function headersOf(flat: readonly string[]): Readonly<Record<string, string>> {
  const headers: Record<string, string> = {};
  for (let index = 0; index < flat.length; index += 2) {
    const name = (flat[index] as string).toLowerCase();
    if (!bodyHeaders.has(name)) headers[name] = flat[index + 1] as string;
  }
  return headers;
}
