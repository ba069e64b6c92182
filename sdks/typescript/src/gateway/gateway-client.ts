import type { ApiError } from "../http/api-error.ts";
import { readApiError } from "../http/read-api-error.ts";
import { toSearch } from "../http/request-address.ts";
import { type Answer, type SendOptions, sendRequest } from "../http/send-request.ts";
import { readServerSentEvents } from "../http/server-sent-events.ts";
import { type CallFacts, readCallFacts } from "./call-facts.ts";
import type {
  ChatChunk,
  ChatRequest,
  ChatResponse,
  CompletionRequest,
  CompletionResponse,
  CostQuote,
  EmbeddingRequest,
  EmbeddingResponse,
  ImageRequest,
  ImageResponse,
  ModelGroupInfoResponse,
  ModelList,
  ModerationRequest,
  ModerationResponse,
  RawRequestTypedDict,
  SpeechRequest,
  SupportedParamsResponse,
  TokenCountRequest,
  TokenCountResponse,
  TranscriptionRequest,
  TranscriptionResponse,
  TransformRequestBody,
} from "./inference-types.generated.ts";

export interface GatewayClientOptions extends SendOptions {
  /** Gateway URL, such as `https://tollgate.example.org`. A trailing `/v1` is accepted. */
  readonly baseUrl: string;
  readonly apiKey?: string | null | (() => string | null | Promise<string | null>);
  /** Header in which this gateway expects API keys. */
  readonly keyHeader?: string;
  /** Authentication method. `cookie` is for the platform's web pages, where the platform adds the key. */
  readonly session?: "key" | "cookie";
  /** Headers sent with every request. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface GatewayAnswer<Data> {
  readonly data: Data;
  readonly facts: CallFacts;
  readonly headers: Headers;
}

/** Chunks of a streamed response, and the details known when it started. */
export interface GatewayStream<Chunk> extends AsyncIterable<Chunk> {
  readonly facts: CallFacts;
  readonly headers: Headers;
}

/** Form fields of a transcription request, and the audio file. */
export type TranscriptionForm = Omit<TranscriptionRequest, "file"> & { readonly file: Blob; readonly filename: string };

export interface CallOptions {
  readonly signal?: AbortSignal | undefined;
  readonly headers?: Readonly<Record<string, string>>;
}

/**
 * Client for the inference API. Each response includes call details: ID, cost, and duration. Methods throw `ApiError`.
 */
export class GatewayClient {
  readonly #options: GatewayClientOptions;

  constructor(options: GatewayClientOptions) {
    this.#options = options;
  }

  chat(body: ChatRequest, options?: CallOptions): Promise<GatewayAnswer<ChatResponse>> {
    return this.#post("/v1/chat/completions", body, options);
  }

  /** Streams a chat completion. If the stream is cut off, iteration throws an ApiError. */
  chatStream(body: ChatRequest, options?: CallOptions): Promise<GatewayStream<ChatChunk>> {
    return this.stream("POST", "/v1/chat/completions", { ...body, stream: true }, options);
  }

  complete(body: CompletionRequest, options?: CallOptions): Promise<GatewayAnswer<CompletionResponse>> {
    return this.#post("/v1/completions", body, options);
  }

  embed(body: EmbeddingRequest, options?: CallOptions): Promise<GatewayAnswer<EmbeddingResponse>> {
    return this.#post("/v1/embeddings", body, options);
  }

  moderate(body: ModerationRequest, options?: CallOptions): Promise<GatewayAnswer<ModerationResponse>> {
    return this.#post("/v1/moderations", body, options);
  }

  generateImages(body: ImageRequest, options?: CallOptions): Promise<GatewayAnswer<ImageResponse>> {
    return this.#post("/v1/images/generations", body, options);
  }

  /** Returns speech as the bytes of an audio file. */
  async speak(body: SpeechRequest, options: CallOptions = {}): Promise<GatewayAnswer<Uint8Array>> {
    const { response, headers } = await this.#send("POST", "/v1/audio/speech", { body, ...options }, "stream");
    return { data: new Uint8Array(await response.arrayBuffer()), facts: readCallFacts(headers), headers };
  }

  /** Transcribes an audio file. Plain-text formats are returned as `{ text }`. */
  async transcribe(form: TranscriptionForm, options: CallOptions = {}): Promise<GatewayAnswer<TranscriptionResponse>> {
    const answer = await this.#send("POST", "/v1/audio/transcriptions", { body: toForm(form), ...options }, "text");
    const isJson = answer.headers.get("content-type")?.includes("json") === true;
    const data = (isJson ? JSON.parse(answer.text) : { text: answer.text }) as TranscriptionResponse;
    return { data, facts: readCallFacts(answer.headers), headers: answer.headers };
  }

  listModels(options?: CallOptions): Promise<GatewayAnswer<ModelList>> {
    return this.request("GET", "/v1/models", options);
  }

  listModelGroups(options?: CallOptions): Promise<GatewayAnswer<ModelGroupInfoResponse>> {
    return this.request("GET", "/model_group/info", options);
  }

  countTokens(body: TokenCountRequest, options?: CallOptions): Promise<GatewayAnswer<TokenCountResponse>> {
    return this.#post("/utils/token_counter", body, options);
  }

  /** Returns the request that a provider would receive for this body, without sending it. */
  transformRequest(body: TransformRequestBody, options?: CallOptions): Promise<GatewayAnswer<RawRequestTypedDict>> {
    return this.#post("/utils/transform_request", body, options);
  }

  listSupportedParams(model: string, options?: CallOptions): Promise<GatewayAnswer<SupportedParamsResponse>> {
    return this.request("GET", `/utils/supported_openai_params${toSearch({ model })}`, options);
  }

  /** Returns the estimated cost of a call and whether the call would be admitted. */
  async quoteCost(
    body: object,
    operation = "chat.completions",
    options: CallOptions = {},
  ): Promise<GatewayAnswer<CostQuote>> {
    const answer = await this.#post<Record<string, unknown>>(
      `/utils/cost_quote${toSearch({ operation })}`,
      body,
      options,
    );
    const amounts = Object.entries(answer.data).map(([name, value]) => [
      name,
      name.endsWith("_nano_usd") ? BigInt(value as number) : value,
    ]);
    return { ...answer, data: Object.fromEntries(amounts) as CostQuote };
  }

  /** Sends a request to any path under the gateway URL that returns JSON, such as an assistants API path. */
  async request<Data>(
    method: string,
    path: string,
    options: CallOptions & { readonly body?: object } = {},
  ): Promise<GatewayAnswer<Data>> {
    const { text, headers } = await this.#send(method, path, options, "text");
    const data = (text === "" ? undefined : JSON.parse(text)) as Data;
    return { data, facts: readCallFacts(headers), headers };
  }

  /** Sends any request that returns a stream of JSON events. */
  async stream<Chunk>(
    method: string,
    path: string,
    body: object,
    options: CallOptions = {},
  ): Promise<GatewayStream<Chunk>> {
    const { response, headers } = await this.#send(method, path, { body, ...options }, "stream");
    return {
      facts: readCallFacts(headers),
      headers,
      [Symbol.asyncIterator]: () => readChunks<Chunk>(response),
    };
  }

  #post<Data>(path: string, body: object, options: CallOptions = {}): Promise<GatewayAnswer<Data>> {
    return this.request("POST", path, { ...options, body });
  }

  async #send(
    method: string,
    path: string,
    { body, signal, headers }: CallOptions & { readonly body?: object },
    want: "text" | "stream",
  ): Promise<Answer> {
    const { baseUrl, keyHeader = "x-gw-api-key", session = "key" } = this.#options;
    const isForm = body instanceof FormData;
    const key = session === "cookie" ? null : await this.#apiKey();
    return sendRequest(
      {
        method,
        url: baseUrl.replace(/\/+$/, "").replace(/\/v1$/, "") + path,
        headers: {
          ...(key !== null && { [keyHeader]: keyHeader === "authorization" ? `Bearer ${key}` : key }),
          ...(session === "cookie" && method !== "GET" && { "x-gw-csrf": "1" }),
          ...(body !== undefined && !isForm && { "content-type": "application/json" }),
          ...this.#options.headers,
          ...headers,
        },
        ...(body !== undefined && { body: isForm ? body : JSON.stringify(body) }),
        signal,
        credentials: session === "cookie" ? "same-origin" : "omit",
        isSafe: method === "GET",
      },
      // Use a long timeout, because a model may reason for minutes before the first byte of the response.
      { ...this.#options, timeoutMs: this.#options.timeoutMs ?? INFERENCE_TIMEOUT_MS },
      want,
    );
  }

  async #apiKey(): Promise<string | null> {
    const { apiKey = null } = this.#options;
    return typeof apiKey === "function" ? apiKey() : apiKey;
  }
}

const INFERENCE_TIMEOUT_MS = 600_000;

/**
 * Yields chunks until `[DONE]`. Streams with named events, such as run events, have no `[DONE]` and end with the
 * response.
 */
async function* readChunks<Chunk>(response: Response): AsyncGenerator<Chunk> {
  if (response.body === null) return;
  let hasNames = false;
  for await (const { event, data } of readServerSentEvents(response.body)) {
    if (data === "[DONE]") return;
    const chunk = JSON.parse(data) as Chunk & { readonly error?: unknown };
    if (event === "error" || (chunk.error !== undefined && chunk.error !== null && event === "message")) {
      throw readApiError(statusOfStreamed(chunk.error), data, response.headers, response.url);
    }
    hasNames ||= event !== "message";
    yield (event === "message" ? chunk : { event, data: chunk }) as Chunk;
  }
  if (!hasNames) throw brokenOff(response);
}

/** Returns the status of an error inside a stream, which has no HTTP status. Defaults to 502, a server error. */
function statusOfStreamed(error: unknown): number {
  const { code } = (error ?? {}) as { code?: unknown };
  return typeof code === "string" && /^[45]\d\d$/.test(code) ? Number(code) : 502;
}

function brokenOff(response: Response): ApiError {
  const text = JSON.stringify({
    error: { message: "The response ended prematurely.", code: "incomplete_stream" },
  });
  return readApiError(502, text, response.headers, response.url);
}

function toForm({ file, filename, ...fields }: TranscriptionForm): FormData {
  const form = new FormData();
  form.append("file", file, filename);
  for (const [name, value] of Object.entries(fields)) {
    if (value === undefined || value === null) continue;
    if (Array.isArray(value)) for (const each of value) form.append(`${name}[]`, String(each));
    else form.append(name, typeof value === "object" ? JSON.stringify(value) : String(value));
  }
  return form;
}
