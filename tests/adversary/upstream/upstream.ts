import {
  createServer,
  type IncomingHttpHeaders,
  type IncomingMessage,
  type Server,
  type ServerResponse,
} from "node:http";
import type { AddressInfo } from "node:net";
import type { Price } from "@tollgate/domain/pricing/price-call.ts";
import { listPrice, type ModelName } from "../models.ts";
import { type AttemptRequest, answerAttempt } from "./answer-attempt.ts";
import { billAttempt, type Progress } from "./bill.ts";
import { type Script, script } from "./script.ts";
import type { WireName } from "./wires.ts";

/** A request that reached the upstream, and its bill. */
export interface Attempt {
  readonly model: string;
  readonly body: string;
  readonly headers: IncomingHttpHeaders;
  /** Null while the attempt is open. */
  billedNano: bigint | null;
  isComplete: boolean;
}

/** Matches the part of a request that identifies its call. */
const NONCE = /adv-[a-z0-9-]+/;
const WIRES: Readonly<Record<string, WireName>> = {
  "/v1/chat/completions": "chat",
  "/v1/messages": "messages",
  "/v1/responses": "responses",
};

/**
 * A provider that follows one script per call and records its own bills. Runs in this process, so that its bills cannot
 * be lost.
 */
export class HostileUpstream {
  readonly #server: Server;
  readonly #scripts = new Map<string, readonly Script[]>();
  readonly #attempts = new Map<string, Attempt[]>();
  readonly #waiting = new Map<string, (() => void)[]>();
  /** Current prices that differ from the list prices. */
  prices: Partial<Record<ModelName, Price>> = {};
  openAttempts = 0;
  maxOpenAttempts = 0;
  /** Number of requests that don't identify a call. */
  strays = 0;

  static async start(): Promise<HostileUpstream> {
    const upstream = new HostileUpstream();
    await new Promise<void>((resolve) =>
      upstream.#server.listen({ port: 0, host: "127.0.0.1", backlog: 4_096 }, resolve),
    );
    return upstream;
  }

  private constructor() {
    this.#server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
      this.#answer(request, response).catch(() => response.destroy());
    });
    this.#server.on("clientError", (_error, socket) => socket.destroy());
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Sets the scripts for the call's attempts, in order. The last script also applies to any further attempts. */
  expect(nonce: string, ...scripts: readonly Script[]): void {
    this.#scripts.set(nonce, scripts);
  }

  /** Resolves when a request for this call has arrived. */
  received(nonce: string): Promise<void> {
    if (this.#attempts.has(nonce)) return Promise.resolve();
    return new Promise((resolve) => this.#waiting.set(nonce, [...(this.#waiting.get(nonce) ?? []), resolve]));
  }

  attemptsOf(nonce: string): readonly Attempt[] {
    return this.#attempts.get(nonce) ?? [];
  }

  /** Returns the total bill for a call; null while an attempt is open. */
  billOf(nonce: string): bigint | null {
    let sum = 0n;
    for (const { billedNano } of this.attemptsOf(nonce)) {
      if (billedNano === null) return null;
      sum += billedNano;
    }
    return sum;
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? "").split("?")[0] as string;
    const body = await readBody(request);
    const nonce = NONCE.exec(body)?.[0] ?? null;
    if (nonce === null) {
      this.strays += 1;
      response
        .writeHead(400, { "content-type": "application/json" })
        .end('{"error":{"message":"Which call is this?"}}');
      return;
    }
    const scripts = this.#scripts.get(nonce) ?? [script()];
    const attempts = this.#attempts.get(nonce) ?? [];
    const own = scripts[Math.min(attempts.length, scripts.length - 1)] as Script;
    const asked = readRequest(path, body);
    const model = own.servedAs ?? asked.model;
    const attempt: Attempt = { model, body, headers: request.headers, billedNano: null, isComplete: false };
    const price = listPrice(model, this.prices);
    attempts.push(attempt);
    this.#attempts.set(nonce, attempts);
    this.openAttempts += 1;
    this.maxOpenAttempts = Math.max(this.maxOpenAttempts, this.openAttempts);
    for (const resolve of this.#waiting.get(nonce) ?? []) resolve();
    this.#waiting.delete(nonce);
    const close = (progress: Progress) => {
      this.openAttempts -= 1;
      attempt.isComplete = progress.isComplete;
      attempt.billedNano = billAttempt(own, progress, asked.limit, price);
    };
    await answerAttempt(own, { ...asked, model }, response, close);
  }
}

/** Reads the request fields that affect the upstream's response. */
function readRequest(path: string, body: string): AttemptRequest {
  const wire = WIRES[path];
  if (wire === undefined) {
    const model = /name="model"\r\n\r\n([^\r]+)/.exec(body)?.[1] ?? "";
    return { wire: "audio", model, isStream: false, limit: null, wantsUsage: true };
  }
  const parsed = JSON.parse(body) as Record<string, unknown>;
  const limit = parsed.max_tokens ?? parsed.max_completion_tokens ?? parsed.max_output_tokens ?? null;
  const options = parsed.stream_options as { readonly include_usage?: unknown } | null | undefined;
  return {
    wire,
    model: String(parsed.model),
    isStream: parsed.stream === true,
    limit: limit as number | null,
    wantsUsage: options?.include_usage === true,
  };
}

async function readBody(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString("latin1");
}
