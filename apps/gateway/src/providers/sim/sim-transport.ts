import { Failure } from "@tollgate/contracts/failures.ts";
import type { AnswerControl, AnswerListener, Transport, UpstreamRequest } from "../../call/provider.ts";
import { parseSimModel, type SimModel } from "./sim-model.ts";
import type { SimInput, SimOperation, SimReply } from "./sim-operation.ts";
import { simOperations } from "./sim-operations.ts";
import { createRandom, seedOf } from "./sim-text.ts";
import { writeFailure, writeRefusal } from "./sim-wire.ts";

/** Models that fail, disconnect, or stall in every operation. */
const misbehaving: ReadonlySet<string> = new Set(["error", "cut", "slow"]);

/** Creates an in-process upstream whose behavior depends on the model's name. It needs no network or key. */
export function createSimTransport(): Transport {
  return {
    send: (request, listener) => new SimExchange(request, listener),
    close: async () => {},
  };
}

/** One simulated exchange, paced by a timer. It can be paused and aborted. */
class SimExchange implements AnswerControl {
  readonly #listener: AnswerListener;
  #timer: NodeJS.Timeout | null = null;
  #isPaused = false;
  #isAborted = false;
  #next: (() => void) | null = null;

  constructor(request: UpstreamRequest, listener: AnswerListener) {
    this.#listener = listener;
    const operation = operationAt(request.path);
    const asked = operation.read(request);
    if (asked instanceof Promise) void this.#beginLater(operation, asked);
    else this.#begin(operation, asked);
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

  async #beginLater(operation: SimOperation, asked: Promise<SimInput<unknown>>): Promise<void> {
    try {
      this.#begin(operation, await asked);
    } catch (error) {
      if (this.#isAborted) return;
      if (error instanceof Failure) this.#complete(error.status, "application/json", writeRefusal(error));
      else this.#listener.onError(error as Error);
    }
  }

  #begin(operation: SimOperation, asked: SimInput<unknown>): void {
    const model = parseSimModel(asked.model);
    if (!operation.models.has(model.name) && !misbehaving.has(model.name)) {
      throw new Failure("invalid_request", `Simulated model '${model.name}' does not support this operation.`, {
        param: "model",
      });
    }
    this.#after(model.firstTokenDelayMs, () => this.#answer(operation, model, asked));
  }

  #answer(operation: SimOperation, model: SimModel, { body, subject }: SimInput<unknown>): void {
    if (model.failure !== null && isUnlucky(model, subject)) {
      const failure = writeFailure(model.failure);
      return this.#complete(failure.status, "application/json", failure.body);
    }
    let reply: SimReply;
    try {
      reply = operation.reply(model, body, Date.now());
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return this.#complete(error.status, "application/json", writeRefusal(error));
    }
    if (reply.kind === "whole") {
      return model.cutAfter === null ? this.#complete(200, reply.contentType, reply.body) : this.#cut();
    }
    this.#listener.onStart(this, 200, { "content-type": reply.contentType });
    this.#stream(model, reply, 0);
  }

  #complete(status: number, contentType: string, body: string | Buffer): void {
    this.#listener.onStart(this, status, { "content-type": contentType });
    this.#listener.onData(Buffer.from(body as string));
    this.#listener.onEnd();
  }

  #stream(model: SimModel, reply: SimReply & { readonly kind: "stream" }, sent: number): void {
    let count = sent;
    for (;;) {
      if (model.cutAfter !== null && count >= model.cutAfter) return this.#cut();
      const piece = reply.pieces.next();
      if (piece.done) {
        if (reply.closing !== null) this.#listener.onData(Buffer.from(reply.closing));
        return this.#listener.onEnd();
      }
      this.#listener.onData(Buffer.from(piece.value as string));
      count += 1;
      if (this.#isAborted) return;
      const delayMs = model.tokensPerSecond === 0 ? 0 : 1_000 / model.tokensPerSecond;
      if (this.#isPaused || delayMs > 0) return this.#after(delayMs, () => this.#stream(model, reply, count));
    }
  }

  #cut(): void {
    this.#listener.onError(new Error("the simulated provider closed the connection"));
  }

  #after(delayMs: number, next: () => void): void {
    this.#timer = setTimeout(() => {
      if (this.#isAborted) return;
      if (this.#isPaused) this.#next = next;
      else next();
    }, delayMs);
  }
}

/**
 * Returns the operation at a path. The cast is safe, because an operation's `reply` only receives a request that its
 * own `read` returned.
 */
function operationAt(path: string): SimOperation {
  const operation = simOperations[path];
  if (operation === undefined) throw new Failure("not_found", `The simulated provider has no path '${path}'.`);
  return operation as SimOperation;
}

function isUnlucky(model: SimModel, subject: unknown): boolean {
  return createRandom(seedOf(`${model.seed}${JSON.stringify(subject)}`))() < model.failureRate;
}
