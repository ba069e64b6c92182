import type {
  AnswerControl,
  AnswerListener,
  TargetSettings,
  Transport,
  TransportLayer,
  UpstreamHeaders,
  UpstreamRequest,
} from "../../call/provider.ts";
import { credentialText, type GoogleCredentials, readGoogleCredentials } from "./google-credentials.ts";
import { GoogleTokens, rejected } from "./google-tokens.ts";

/** Adds an access token to requests to Google. Returns null if an API key is used instead. */
export function tokenLayer(target: TargetSettings): TransportLayer | null {
  const text = credentialText(target);
  if (text === null && target.apiKey !== null) return null;
  const credentials = readable(target);
  return {
    identity: text ?? "",
    over: (connections, open) =>
      credentials === null
        ? new RefusingTransport(connections)
        : new TokenTransport(connections, new GoogleTokens(credentials, open(credentials.tokenAddress.origin))),
  };
}

/**
 * Returns the credentials, or null if they are invalid. With invalid credentials, only the calls that need them fail.
 */
function readable(target: TargetSettings): GoogleCredentials | null {
  try {
    return readGoogleCredentials(target);
  } catch {
    return null;
  }
}

class TokenTransport implements Transport {
  readonly #connections: Transport;
  readonly #tokens: GoogleTokens;

  constructor(connections: Transport, tokens: GoogleTokens) {
    this.#connections = connections;
    this.#tokens = tokens;
  }

  send(request: UpstreamRequest, listener: AnswerListener): AnswerControl {
    const token = this.#tokens.current();
    if (token !== null) return this.#carry(request, listener, token);
    const waiting = new WaitingCall(listener);
    this.#tokens.next().then(
      (fresh) => waiting.go(() => this.#carry(request, listener, fresh)),
      (error: unknown) => waiting.fail(error),
    );
    return waiting;
  }

  async close(): Promise<void> {
    await Promise.all([this.#connections.close(), this.#tokens.close()]);
  }

  #carry(request: UpstreamRequest, listener: AnswerListener, token: string): AnswerControl {
    const headers = [...request.headers, "authorization", `Bearer ${token}`];
    const received = new RefusalWatch(listener, () => this.#tokens.forget(token));
    return this.#connections.send({ ...request, headers }, received);
  }
}

/** A call that waits for a token before it is sent. */
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

/** Forwards a response, and calls `onRefused` if the provider rejected the token. */
class RefusalWatch implements AnswerListener {
  readonly #listener: AnswerListener;
  readonly #onRefused: () => void;

  constructor(listener: AnswerListener, onRefused: () => void) {
    this.#listener = listener;
    this.#onRefused = onRefused;
  }

  onStart(control: AnswerControl, status: number, headers: UpstreamHeaders): void {
    if (status === 401) this.#onRefused();
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

/** Fails every call, for deployments without valid credentials. */
class RefusingTransport implements Transport {
  readonly #connections: Transport;

  constructor(connections: Transport) {
    this.#connections = connections;
  }

  send(): never {
    throw rejected("no Google credentials: set vertex_credentials or GOOGLE_APPLICATION_CREDENTIALS");
  }

  close(): Promise<void> {
    return this.#connections.close();
  }
}
