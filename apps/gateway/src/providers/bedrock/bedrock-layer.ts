import { Failure } from "@tollgate/contracts/failures.ts";
import { Secret } from "@tollgate/domain/secret.ts";
import type {
  AnswerControl,
  AnswerListener,
  TargetSettings,
  Transport,
  TransportLayer,
  UpstreamHeaders,
  UpstreamRequest,
} from "../../call/provider.ts";
import { unreadable } from "../../wire/invalid-response.ts";
import { regionOf } from "./bedrock-address.ts";
import { EventStreamDecoder } from "./event-stream-decoder.ts";
import { type AwsCredentials, RequestSigner } from "./request-signer.ts";

const SERVICE = "bedrock";
/** The content type of Amazon's event streams. */
export const EVENT_STREAM = "application/vnd.amazon.eventstream";

/** Signs requests to Amazon, unless an API key is set, and decodes the binary frames in responses. */
export function bedrockLayer(target: TargetSettings): TransportLayer {
  const credentials = credentialsOf(target);
  const region = regionOf(target);
  const signer =
    target.apiKey !== null || credentials === null ? null : new RequestSigner(credentials, region, SERVICE);
  const isKnown = target.apiKey !== null || credentials !== null;
  return {
    identity: JSON.stringify([region, credentials]),
    over: (connections) => new BedrockTransport(connections, new URL(String(target.apiBase)), signer, isKnown),
  };
}

class BedrockTransport implements Transport {
  readonly #connections: Transport;
  readonly #host: string;
  readonly #basePath: string;
  readonly #signer: RequestSigner | null;
  readonly #hasCredential: boolean;

  constructor(connections: Transport, address: URL, signer: RequestSigner | null, hasCredential: boolean) {
    this.#connections = connections;
    this.#host = address.host;
    this.#basePath = address.pathname.replace(/\/+$/, "");
    this.#signer = signer;
    this.#hasCredential = hasCredential;
  }

  send(request: UpstreamRequest, listener: AnswerListener): AnswerControl {
    if (!this.#hasCredential) throw withoutCredential();
    return this.#connections.send(this.#signed(request), new FrameListener(listener));
  }

  close(): Promise<void> {
    return this.#connections.close();
  }

  #signed(request: UpstreamRequest): UpstreamRequest {
    if (this.#signer === null) return request;
    if (typeof request.body === "function") throw new Error("a request body that is read from a file cannot be signed");
    const signature = this.#signer.sign(
      {
        method: "POST",
        host: this.#host,
        path: this.#basePath + request.path,
        headers: [["content-type", "application/json"]],
        body: request.body,
      },
      new Date(),
    );
    return { ...request, headers: [...request.headers, ...signature] };
  }
}

/** Converts a framed response to server-sent events. Other responses are passed on unchanged. */
class FrameListener implements AnswerListener {
  readonly #listener: AnswerListener;
  #decoder: EventStreamDecoder | null = null;
  #control: AnswerControl | null = null;
  #isOver = false;

  constructor(listener: AnswerListener) {
    this.#listener = listener;
  }

  onStart(control: AnswerControl, status: number, headers: UpstreamHeaders): void {
    this.#control = control;
    const isFramed = status === 200 && String(headers["content-type"]).startsWith(EVENT_STREAM);
    if (isFramed) this.#decoder = new EventStreamDecoder();
    this.#listener.onStart(control, status, isFramed ? { ...headers, "content-type": "text/event-stream" } : headers);
  }

  onData(chunk: Buffer): void {
    if (this.#isOver) return;
    if (this.#decoder === null) return this.#listener.onData(chunk);
    try {
      const events = this.#decoder.push(chunk);
      if (events !== "") this.#listener.onData(Buffer.from(events, "latin1"));
    } catch (error) {
      this.#isOver = true;
      this.#control?.abort();
      this.#listener.onError(unreadable(error));
    }
  }

  onEnd(): void {
    if (!this.#isOver) this.#listener.onEnd();
  }

  onError(error: Error): void {
    if (!this.#isOver) this.#listener.onError(error);
  }
}

function credentialsOf({ options }: TargetSettings): AwsCredentials | null {
  const accessKeyId = textOf(options.aws_access_key_id);
  const secretAccessKey = textOf(options.aws_secret_access_key);
  if (accessKeyId === null || secretAccessKey === null) return null;
  return { accessKeyId, secretAccessKey, sessionToken: textOf(options.aws_session_token) };
}

function textOf(option: string | Secret | undefined): string | null {
  const text = option instanceof Secret ? option.reveal() : (option ?? "");
  return text === "" ? null : text;
}

/** Creates the failure for missing credentials, which the operator must fix. */
function withoutCredential(): Failure {
  return new Failure("internal_error", "upstream credential rejected", {
    detail: { isCredential: true, problem: "no AWS credentials: set aws_access_key_id and aws_secret_access_key" },
  });
}
