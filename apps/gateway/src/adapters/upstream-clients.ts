import type { LookupFunction } from "node:net";
import { Client, type Dispatcher, errors } from "undici";
import {
  type AnswerControl,
  type AnswerListener,
  type Transport,
  UnreadableAnswer,
  type UpstreamHeaders,
  type UpstreamRequest,
} from "../providers/provider.ts";

const MAX_CONNECTIONS = 10_000;
const MAX_WAITING = 512;
const CONNECT_TIMEOUT_MS = 3_000;
const IDLE_MS = 60_000;
const SWEEP_MS = 10_000;

interface IdleClient {
  readonly client: Client;
  readonly sinceMs: number;
}

/** More calls wait for a connection to this upstream than it is worth letting wait. */
export class UpstreamQueueFull extends Error {}

/**
 * Connections to one upstream under one credential. Idle ones are kept on a stack, so finding one takes the same time
 * with ten open streams as with ten thousand, and the least used fall idle and are closed.
 */
export class UpstreamClients implements Transport {
  readonly #origin: string;
  readonly #basePath: string;
  readonly #idle: IdleClient[] = [];
  readonly #waiting: { request: UpstreamRequest; lease: ClientLease }[] = [];
  readonly #sweep: NodeJS.Timeout;
  readonly #lookup: LookupFunction | null;
  #open = 0;
  #isClosed = false;

  /** `lookup` resolves the host instead of the computer's own resolver, and may refuse what it finds. */
  constructor(apiBase: string, lookup: LookupFunction | null = null) {
    const url = new URL(apiBase);
    this.#lookup = lookup;
    this.#origin = url.origin;
    this.#basePath = url.pathname.replace(/\/+$/, "");
    this.#sweep = setInterval(() => this.#closeIdle(), SWEEP_MS);
    this.#sweep.unref();
  }

  send(request: UpstreamRequest, listener: AnswerListener): AnswerControl {
    const lease = new ClientLease(this, listener);
    const idle = this.#idle.pop();
    if (idle !== undefined) this.#dispatch(idle.client, request, lease);
    else if (this.#open < MAX_CONNECTIONS) this.#dispatch(this.#connect(), request, lease);
    else if (this.#waiting.length < MAX_WAITING) this.#waiting.push({ request, lease });
    else throw new UpstreamQueueFull("every connection to the upstream is in use");
    return lease;
  }

  /** Closes what rests now, and what is still in use when its call ends. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearInterval(this.#sweep);
    await Promise.all(this.#idle.map(({ client }) => client.destroy()));
    this.#idle.length = 0;
  }

  /** A call has ended: its connection serves whoever waits, or rests. */
  release(client: Client): void {
    const next = this.#waiting.shift();
    if (next !== undefined) this.#dispatch(client, next.request, next.lease);
    else if (this.#isClosed) client.destroy().catch(() => {});
    else this.#idle.push({ client, sinceMs: Date.now() });
  }

  /** Someone who waited for a connection has gone. */
  forget(lease: ClientLease): void {
    const index = this.#waiting.findIndex((entry) => entry.lease === lease);
    if (index >= 0) this.#waiting.splice(index, 1);
  }

  #connect(): Client {
    this.#open += 1;
    return new Client(this.#origin, {
      pipelining: 1,
      keepAliveTimeout: IDLE_MS,
      // Deadlines are ours: one sweep over all calls instead of two timers each.
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: { timeout: CONNECT_TIMEOUT_MS, ...(this.#lookup && { lookup: this.#lookup }) },
      allowH2: false,
    });
  }

  #dispatch(client: Client, request: UpstreamRequest, lease: ClientLease): void {
    lease.client = client;
    client.dispatch(
      {
        path: this.#basePath + request.path,
        method: "POST",
        headers: request.headers as string[],
        body: request.body,
      },
      lease,
    );
  }

  #closeIdle(): void {
    const oldest = Date.now() - IDLE_MS;
    let expired = 0;
    while (expired < this.#idle.length && (this.#idle[expired] as IdleClient).sinceMs < oldest) expired += 1;
    for (const { client } of this.#idle.splice(0, expired)) {
      this.#open -= 1;
      client.destroy().catch(() => {});
    }
  }
}

/** One call's use of a connection: hears the client library and speaks our own interface. */
class ClientLease implements Dispatcher.DispatchHandler, AnswerControl {
  client: Client | null = null;
  readonly #clients: UpstreamClients;
  readonly #listener: AnswerListener;
  #controller: Dispatcher.DispatchController | null = null;
  #isAborted = false;

  constructor(clients: UpstreamClients, listener: AnswerListener) {
    this.#clients = clients;
    this.#listener = listener;
  }

  pause(): void {
    this.#controller?.pause();
  }

  resume(): void {
    this.#controller?.resume();
  }

  abort(): void {
    if (this.#isAborted) return;
    this.#isAborted = true;
    if (this.client === null) this.#clients.forget(this);
    else this.#controller?.abort(new Error("the caller no longer wants the answer"));
  }

  onRequestStart(controller: Dispatcher.DispatchController): void {
    this.#controller = controller;
    if (this.#isAborted) controller.abort(new Error("the caller no longer wants the answer"));
  }

  onResponseStart(_controller: Dispatcher.DispatchController, status: number, headers: UpstreamHeaders): void {
    this.#listener.onStart(this, status, headers);
  }

  onResponseData(_controller: Dispatcher.DispatchController, chunk: Buffer): void {
    this.#listener.onData(chunk);
  }

  onResponseEnd(): void {
    this.#release();
    this.#listener.onEnd();
  }

  onResponseError(_controller: Dispatcher.DispatchController, error: Error): void {
    this.#release();
    if (this.#isAborted) return;
    this.#listener.onError(isUnreadable(error) ? new UnreadableAnswer("not valid HTTP", { cause: error }) : error);
  }

  #release(): void {
    const client = this.client;
    this.client = null;
    this.#controller = null;
    if (client !== null) this.#clients.release(client);
  }
}

/** Whether the parser gave up on the answer, as opposed to the connection having failed. */
function isUnreadable(error: Error): boolean {
  return (
    error instanceof errors.HTTPParserError ||
    error instanceof errors.HeadersOverflowError ||
    error instanceof errors.ResponseContentLengthMismatchError
  );
}
