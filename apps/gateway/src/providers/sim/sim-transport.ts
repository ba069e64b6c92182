import type { AnswerControl, AnswerListener, Transport, UpstreamRequest } from "../provider.ts";
import { makeSimAnswer, type SimRequest } from "./sim-answer.ts";
import { parseSimModel, type SimModel } from "./sim-model.ts";
import { createRandom, seedOf } from "./sim-text.ts";
import { writeAnswer, writeFailure, writeFrames } from "./sim-wire.ts";

/** An upstream that lives in this process and behaves as told by the model's name. No network, no key. */
export function createSimTransport(): Transport {
  return {
    send: (request, listener) => new SimExchange(request, listener),
    close: async () => {},
  };
}

/** One simulated exchange: paced by a timer, held while paused, gone when aborted. */
class SimExchange implements AnswerControl {
  readonly #listener: AnswerListener;
  #timer: NodeJS.Timeout | null = null;
  #isPaused = false;
  #isAborted = false;
  #next: (() => void) | null = null;

  constructor(request: UpstreamRequest, listener: AnswerListener) {
    this.#listener = listener;
    const body = JSON.parse(request.body.toString("utf8")) as SimRequest & { model: string };
    const model = parseSimModel(body.model);
    this.#after(model.firstTokenDelayMs, () => this.#answer(model, body));
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    this.#isPaused = false;
    const next = this.#next;
    this.#next = null;
    if (next !== null) this.#after(0, next);
  }

  abort(): void {
    this.#isAborted = true;
    if (this.#timer !== null) clearTimeout(this.#timer);
  }

  #answer(model: SimModel, request: SimRequest): void {
    if (model.failure !== null && this.#isUnlucky(model, request)) {
      const { status, body } = writeFailure(model.failure);
      return this.#complete(status, body);
    }
    const answer = makeSimAnswer(model, request, Date.now());
    if (request.stream !== true)
      return model.cutAfter === null ? this.#complete(200, writeAnswer(model, answer)) : this.#cut();
    this.#listener.onStart(this, 200, { "content-type": "text/event-stream" });
    this.#stream(model, writeFrames(model, answer, request), 0);
  }

  #isUnlucky(model: SimModel, request: SimRequest): boolean {
    return createRandom(seedOf(`${model.seed}${JSON.stringify(request.messages)}`))() < model.failureRate;
  }

  #complete(status: number, body: string): void {
    this.#listener.onStart(this, status, { "content-type": "application/json" });
    this.#listener.onData(Buffer.from(body, "utf8"));
    this.#listener.onEnd();
  }

  #stream(model: SimModel, frames: Generator<string>, sent: number): void {
    let count = sent;
    for (;;) {
      if (model.cutAfter !== null && count >= model.cutAfter) return this.#cut();
      const frame = frames.next();
      if (frame.done) {
        this.#listener.onData(Buffer.from("data: [DONE]\n\n"));
        return this.#listener.onEnd();
      }
      this.#listener.onData(Buffer.from(frame.value, "utf8"));
      count += 1;
      if (this.#isAborted) return;
      const delayMs = model.tokensPerSecond === 0 ? 0 : 1_000 / model.tokensPerSecond;
      if (this.#isPaused || delayMs > 0) return this.#after(delayMs, () => this.#stream(model, frames, count));
    }
  }

  #cut(): void {
    this.#listener.onError(new Error("the simulated upstream cut the connection"));
  }

  #after(delayMs: number, next: () => void): void {
    this.#timer = setTimeout(() => {
      if (this.#isAborted) return;
      if (this.#isPaused) this.#next = next;
      else next();
    }, delayMs);
  }
}
