import type {
  AnswerControl,
  AnswerListener,
  Transport,
  UpstreamHeaders,
  UpstreamRequest,
} from "../../call/provider.ts";
import type { RenewedCredential } from "./renewed-credential.ts";

/** Adds a credential to a request. */
export type Attach<Value> = (request: UpstreamRequest, value: Value) => UpstreamRequest;

/** Adds an access token to a request. */
export const attachToken: Attach<string> = (request, token) => ({
  ...request,
  headers: [...request.headers, "authorization", `Bearer ${token}`],
});

/** Reports whether a response means that the provider rejected the credential, so that a new one is needed. */
export type IsRejection = (status: number, headers: UpstreamHeaders) => boolean;

/** Recognizes a rejected access token. A response with 403 means that the identity lacks a permission. */
export const rejectsToken: IsRejection = (status) => status === 401;

/** Sends requests with a credential that is renewed before it expires. */
export class CredentialTransport<Value> implements Transport {
  readonly #connections: Transport;
  readonly #credential: RenewedCredential<Value>;
  readonly #attach: Attach<Value>;
  readonly #isRejection: IsRejection;
  readonly #endpoint: Transport | null;

  /** `endpoint` are the connections to the source of the credential, if it has any here. They are closed together. */
  constructor(
    connections: Transport,
    credential: RenewedCredential<Value>,
    attach: Attach<Value>,
    isRejection: IsRejection,
    endpoint: Transport | null = null,
  ) {
    this.#connections = connections;
    this.#credential = credential;
    this.#attach = attach;
    this.#isRejection = isRejection;
    this.#endpoint = endpoint;
  }

  send(request: UpstreamRequest, listener: AnswerListener): AnswerControl {
    const value = this.#credential.current();
    if (value !== null) return this.#carry(request, listener, value);
    const waiting = new WaitingCall(listener);
    this.#credential.next().then(
      (fresh) => waiting.go(() => this.#carry(request, listener, fresh)),
      (error: unknown) => waiting.fail(error),
    );
    return waiting;
  }

  async close(): Promise<void> {
    await Promise.all([this.#connections.close(), this.#endpoint?.close()]);
  }

  #carry(request: UpstreamRequest, listener: AnswerListener, value: Value): AnswerControl {
    const received = new StatusWatch(listener, (status, headers) => {
      if (this.#isRejection(status, headers)) this.#credential.forget(value);
    });
    return this.#connections.send(this.#attach(request, value), received);
  }
}

/** A call that waits for a credential before it is sent. */
class WaitingCall implements AnswerControl {
  readonly #listener: AnswerListener;
  #control: AnswerControl | null = null;
  #isAborted = false;

  constructor(listener: AnswerListener) {
    this.#listener = listener;
  }

  go(send: () => AnswerControl): void {
    if (this.#isAborted) return;
    try {
      this.#control = send();
    } catch (error) {
      this.fail(error);
    }
  }

  fail(error: unknown): void {
    if (!this.#isAborted) this.#listener.onError(error as Error);
  }

  get wasSent(): boolean {
    return this.#control !== null && this.#control.wasSent !== false;
  }

  pause(): void {
    this.#control?.pause();
  }

  resume(): void {
    this.#control?.resume();
  }

  abort(): void {
    this.#isAborted = true;
    this.#control?.abort();
  }
}

/** Forwards a response, and passes its status and headers to `onAnswer` first. */
class StatusWatch implements AnswerListener {
  readonly #listener: AnswerListener;
  readonly #onAnswer: (status: number, headers: UpstreamHeaders) => void;

  constructor(listener: AnswerListener, onAnswer: (status: number, headers: UpstreamHeaders) => void) {
    this.#listener = listener;
    this.#onAnswer = onAnswer;
  }

  onStart(control: AnswerControl, status: number, headers: UpstreamHeaders): void {
    this.#onAnswer(status, headers);
    this.#listener.onStart(control, status, headers);
  }

  onData(chunk: Buffer): void {
    this.#listener.onData(chunk);
  }

  onEnd(): void {
    this.#listener.onEnd();
  }

  onError(error: Error): void {
    this.#listener.onError(error);
  }
}
