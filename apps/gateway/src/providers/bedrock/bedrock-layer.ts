import { hash } from "node:crypto";
import { Failure } from "@tollgate/contracts/failures.ts";
import { type AwsCredentials, RequestSigner } from "@tollgate/domain/network/aws-request-signer.ts";
import { Secret } from "@tollgate/domain/secret.ts";
import { BodyPieces } from "../../call/body-pieces.ts";
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
import { awsSource } from "../credentials/aws-source.ts";
import { type LibrarySource, sourceLayer } from "../credentials/credential-source.ts";
import type { Attach } from "../credentials/credential-transport.ts";
import { regionOf } from "./bedrock-address.ts";
import { EventStreamDecoder } from "./event-stream-decoder.ts";
import { rejectsKeys } from "./read-failure.ts";

const SERVICE = "bedrock";
/** The content type of Amazon's event streams. */
export const EVENT_STREAM = "application/vnd.amazon.eventstream";

/**
 * Signs requests to Amazon, unless an API key is set, and decodes the binary frames in responses. The keys come from the
 * settings or from Amazon's library.
 */
export function bedrockLayer(target: TargetSettings): TransportLayer {
  const framed = (over: (connections: Transport) => Transport) => (connections: Transport) =>
    new FrameTransport(over(connections));
  const address = new URL(String(target.apiBase));
  const region = regionOf(target);
  const attach = (request: UpstreamRequest, signer: RequestSigner) => signed(request, address, signer);
  const source = bedrockCredentialSource(target);
  if (source !== null) {
    const layer = sourceLayer(source, target, attach, rejectsKeys);
    return { identity: JSON.stringify([region, layer.identity]), over: framed(layer.over) };
  }
  const credentials = keysOf(target);
  const identity = JSON.stringify([region, credentials]);
  if (target.apiKey !== null) return { identity, over: framed((connections) => connections) };
  if (credentials === null) return { identity, over: (connections) => new RefusingTransport(connections) };
  const signer = new RequestSigner(credentials, region, SERVICE);
  return { identity, over: framed((connections) => new SigningTransport(connections, signer, attach)) };
}

/**
 * Returns the source of a deployment's keys, or null if the settings contain the keys or an API key. A deployment from
 * the database never has a source, because a role, a profile, or a token file would use the identity of the machine.
 */
export function bedrockCredentialSource(target: TargetSettings): LibrarySource<RequestSigner> | null {
  const { apiKey, options, fileModelName } = target;
  if (apiKey !== null || fileModelName == null) return null;
  const region = regionOf(target);
  const settings = {
    role: textOf(options.aws_role_name),
    sessionName: textOf(options.aws_session_name),
    webIdentityToken: textOf(options.aws_web_identity_token),
    profile: textOf(options.aws_profile_name),
    keys: keysOf(target),
    region,
  };
  const hasPlace = settings.role !== null || settings.profile !== null || settings.webIdentityToken !== null;
  const hasKey = textOf(options.aws_access_key_id) !== null || textOf(options.aws_secret_access_key) !== null;
  if (!hasPlace && hasKey) return null;
  return awsSource(settings, (keys) => new RequestSigner(keys, region, SERVICE));
}

function signed(request: UpstreamRequest, address: URL, signer: RequestSigner): UpstreamRequest {
  if (typeof request.body === "function") throw new Error("a request body that is read from a file cannot be signed");
  const body = request.body instanceof BodyPieces ? request.body.join() : request.body;
  const signature = signer.sign(
    {
      method: "POST",
      host: address.host,
      path: address.pathname.replace(/\/+$/, "") + request.path,
      query: [],
      headers: [["content-type", "application/json"]],
      bodySha256: hash("sha256", body, "hex"),
    },
    new Date(),
  );
  return { ...request, headers: [...request.headers, ...signature] };
}

/** Signs requests with keys that don't expire. */
class SigningTransport implements Transport {
  readonly #connections: Transport;
  readonly #signer: RequestSigner;
  readonly #attach: Attach<RequestSigner>;

  constructor(connections: Transport, signer: RequestSigner, attach: Attach<RequestSigner>) {
    this.#connections = connections;
    this.#signer = signer;
    this.#attach = attach;
  }

  send(request: UpstreamRequest, listener: AnswerListener): AnswerControl {
    return this.#connections.send(this.#attach(request, this.#signer), listener);
  }

  close(): Promise<void> {
    return this.#connections.close();
  }
}

/** Decodes the binary frames in responses. */
class FrameTransport implements Transport {
  readonly #connections: Transport;

  constructor(connections: Transport) {
    this.#connections = connections;
  }

  send(request: UpstreamRequest, listener: AnswerListener): AnswerControl {
    return this.#connections.send(request, new FrameListener(listener));
  }

  close(): Promise<void> {
    return this.#connections.close();
  }
}

/** Fails every call, for deployments without credentials. */
class RefusingTransport implements Transport {
  readonly #connections: Transport;

  constructor(connections: Transport) {
    this.#connections = connections;
  }

  send(): never {
    throw withoutCredential();
  }

  close(): Promise<void> {
    return this.#connections.close();
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
      if (this.#decoder.damage !== null) throw this.#decoder.damage;
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

function keysOf({ options }: TargetSettings): AwsCredentials | null {
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
