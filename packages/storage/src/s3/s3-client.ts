import { hash } from "node:crypto";
import { Agent as HttpAgent, request as httpRequest, type IncomingMessage } from "node:http";
import { Agent as HttpsAgent, request as httpsRequest } from "node:https";
import type { LookupFunction } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { escapeQuery, RequestSigner } from "@tollgate/domain/network/aws-request-signer.ts";
import { StorageError } from "../storage.ts";
import { bucketUrlOf, type S3Bucket } from "./s3-address.ts";
import type { S3CredentialSource, S3Credentials } from "./s3-credentials.ts";
import { readErrorCode } from "./s3-xml.ts";

const MAX_ATTEMPTS = 5;
const FIRST_DELAY_MS = 200;
const MAX_DELAY_MS = 5_000;
/** Time without any byte in either direction, after which an attempt has failed. */
const IDLE_LIMIT_MS = 30_000;
const MAX_SOCKETS = 32;
/** Max size of a list. */
const MAX_DOCUMENT_BYTES = 8 * 1024 * 1024;
/** Max size of all other documents. S3's are smaller than 1 KiB. */
const MAX_ANSWER_BYTES = 64 * 1024;
const MISSING_BUCKET = "NoSuchBucket";
const RETRIED_STATUSES = new Set([408, 429, 500, 502, 503, 504]);
const RETRIED_CODES = new Set([
  "RequestTimeout",
  "SlowDown",
  "InternalError",
  "OperationAborted",
  "ConditionalRequestConflict",
]);
/** The credentials expired or were replaced. The source may have new ones. */
const EXPIRED_CODES = new Set(["ExpiredToken", "InvalidAccessKeyId", "TokenRefreshRequired", "InvalidToken"]);
/** Statuses of refusals because of credentials. The response to a HEAD has no code that says more. */
const CREDENTIAL_STATUSES = new Set([400, 401, 403]);

export interface S3ClientOptions extends S3Bucket {
  readonly credentials: S3CredentialSource;
  /** Variables that name outbound proxies. */
  readonly proxyEnv?: Readonly<Record<string, string | undefined>>;
  /** Resolves host names; absent for the system's resolver. */
  readonly lookup?: LookupFunction;
}

/** A request to the bucket. The body is in memory, so that the request can be sent again. */
interface S3Request {
  readonly method: "GET" | "HEAD" | "PUT" | "POST" | "DELETE";
  /** The key with the prefix; empty for the bucket. */
  readonly key: string;
  readonly query?: readonly (readonly [name: string, value: string])[];
  readonly headers?: readonly (readonly [name: string, value: string])[];
  readonly body?: Buffer;
}

/** A response with the status 200 to 299, or one of the refusals that a request expects, whose body has been read. */
interface S3Response {
  readonly status: number;
  /** Code of a refusal, such as `NoSuchUpload`; empty if the store names none. */
  readonly code: string;
  readonly headers: IncomingMessage["headers"];
  readonly body: IncomingMessage;
  /** True if an earlier attempt failed after the store may have received it. */
  readonly isRepeated: boolean;
}

/** Sends signed requests to a bucket, and repeats those that failed for a reason that may pass. */
export class S3Client {
  readonly #url: URL;
  readonly #options: S3ClientOptions;
  readonly #agent: HttpAgent;
  #signer: { readonly credentials: S3Credentials; readonly signer: RequestSigner } | null = null;

  constructor(options: S3ClientOptions) {
    this.#options = options;
    this.#url = bucketUrlOf(options);
    const { lookup, proxyEnv } = options;
    const agentOptions = {
      keepAlive: true,
      maxSockets: MAX_SOCKETS,
      ...(lookup !== undefined && { lookup }),
      ...(proxyEnv !== undefined && { proxyEnv }),
    };
    this.#agent = this.#url.protocol === "https:" ? new HttpsAgent(agentOptions) : new HttpAgent(agentOptions);
  }

  get location(): string {
    return `${this.#url.origin}${this.#url.pathname.replace(/^\/$/, "")}/${this.#options.prefix}`;
  }

  /** Sends a request. `expected` are statuses of refusals to return instead of throwing. */
  async send(request: S3Request, expected: readonly number[] = []): Promise<S3Response> {
    let isRepeated = false;
    let hasNewCredentials = false;
    for (let attempt = 1; ; attempt += 1) {
      let failure: StorageError;
      try {
        const credentials = await this.#options.credentials.get();
        const body = await this.#exchange(request, credentials);
        const status = body.statusCode ?? 0;
        const { headers } = body;
        if (isSuccess(status)) return { status, code: "", headers, body, isRepeated };
        const code = await readRefusal(body);
        if (expected.includes(status) && code !== MISSING_BUCKET) return { status, code, headers, body, isRepeated };
        failure = this.#failureOf(request, status, code);
        const hidesCode = isHiddenRefusal(request, status);
        if ((hidesCode || EXPIRED_CODES.has(code)) && !hasNewCredentials) {
          this.#options.credentials.discard(credentials);
          hasNewCredentials = true;
        } else if (hidesCode) {
          throw (await this.#findFailure(request, credentials)) ?? failure;
        } else if (!RETRIED_STATUSES.has(status) && !RETRIED_CODES.has(code)) throw failure;
      } catch (error) {
        if (error instanceof StorageError) throw error;
        failure = this.#errorOf("unavailable", request, `does not respond: ${reasonOf(error)}`, error);
      }
      if (attempt === MAX_ATTEMPTS) throw failure;
      isRepeated = true;
      const limitMs = Math.min(FIRST_DELAY_MS * 2 ** (attempt - 1), MAX_DELAY_MS);
      await pause(limitMs / 2 + Math.random() * (limitMs / 2));
    }
  }

  /** Sends a request and returns the document in the response. */
  async sendForDocument(request: S3Request): Promise<string> {
    const { body } = await this.send(request);
    try {
      return await readDocument(body, MAX_DOCUMENT_BYTES);
    } catch (error) {
      throw this.#errorOf("unavailable", request, `sent a truncated response: ${reasonOf(error)}`, error);
    }
  }

  close(): void {
    this.#agent.destroy();
  }

  #exchange(request: S3Request, credentials: S3Credentials): Promise<IncomingMessage> {
    const { method, key, query = [], body = Buffer.alloc(0) } = request;
    const base = this.#url.pathname.replace(/^\/$/, "");
    const path = key === "" ? base || "/" : `${base}/${key.split("/").map(encodeURIComponent).join("/")}`;
    const bodySha256 = hash("sha256", body, "hex");
    const headers = [...(request.headers ?? []), ["x-amz-content-sha256", bodySha256] as const];
    const { host } = this.#url;
    const signer = this.#signerOf(credentials);
    const signature = signer.sign({ method, host, path, query, headers, bodySha256 }, new Date());
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    const sent = (this.#url.protocol === "https:" ? httpsRequest : httpRequest)(
      {
        agent: this.#agent,
        protocol: this.#url.protocol,
        hostname: this.#url.hostname,
        port: this.#url.port,
        method,
        path: query.length === 0 ? path : `${path}?${escapeQuery(query)}`,
        headers: ["host", host, "content-length", String(body.length), ...headers.flat(), ...signature],
        timeout: IDLE_LIMIT_MS,
      },
      resolve,
    );
    sent.on("timeout", () => sent.destroy(new Error(`no data for ${IDLE_LIMIT_MS / 1_000} s`)));
    sent.on("error", reject);
    sent.end(body);
    return promise;
  }

  /** Reads the first byte of an object to learn why the store refuses its HEAD; null if it does not refuse this. */
  async #findFailure(request: S3Request, credentials: S3Credentials): Promise<StorageError | null> {
    const read: S3Request = { method: "GET", key: request.key, headers: [["range", "bytes=0-0"]] };
    const body = await this.#exchange(read, credentials);
    const status = body.statusCode ?? 0;
    if (isSuccess(status)) {
      body.destroy();
      return null;
    }
    const code = await readRefusal(body);
    const isRefused = CREDENTIAL_STATUSES.has(status) || code === MISSING_BUCKET;
    return isRefused ? this.#failureOf(request, status, code) : null;
  }

  #signerOf(credentials: S3Credentials): RequestSigner {
    if (this.#signer?.credentials !== credentials) {
      const { accessKeyId, secretAccessKey, sessionToken } = credentials;
      const revealed = {
        accessKeyId,
        secretAccessKey: secretAccessKey.reveal(),
        sessionToken: sessionToken?.reveal() ?? null,
      };
      this.#signer = { credentials, signer: new RequestSigner(revealed, this.#options.region, "s3") };
    }
    return this.#signer.signer;
  }

  #failureOf(request: S3Request, status: number, code: string): StorageError {
    const answer = `${status}${code === "" ? "" : ` ${code}`}`;
    // A missing bucket is a wrong setting, not a missing object.
    if (code === MISSING_BUCKET) return this.#errorOf("unavailable", request, `has no such bucket (${answer})`);
    if (status === 404) return this.#errorOf("missing", request, `does not have it (${answer})`);
    if (status === 412) return this.#errorOf("exists", request, `already has it (${answer})`);
    if (status === 416) return this.#errorOf("truncated", request, `has fewer bytes (${answer})`);
    if (status === 507 || code === "QuotaExceeded") return this.#errorOf("full", request, `has no space (${answer})`);
    if (status === 401 || status === 403) return this.#errorOf("denied", request, `denies access (${answer})`);
    return this.#errorOf("unavailable", request, `responded with ${answer}`);
  }

  #errorOf(kind: StorageError["kind"], { key }: S3Request, problem: string, cause?: unknown): StorageError {
    return new StorageError(kind, `${this.location} ${problem}${key === "" ? "" : `: ${key}`}`, { cause });
  }
}

/** Returns the code of a refusal; an empty text if the store names none, or more than fits into an answer. */
async function readRefusal(body: IncomingMessage): Promise<string> {
  if (Number(body.headers["content-length"]) > MAX_ANSWER_BYTES) {
    body.destroy();
    return "";
  }
  return readErrorCode(await readDocument(body)) ?? "";
}

/** Reads a document, which must not exceed its limit. */
export async function readDocument(body: IncomingMessage, maxBytes = MAX_ANSWER_BYTES): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > maxBytes) throw new Error("the response is too large");
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
}

function isSuccess(status: number): boolean {
  return status >= 200 && status < 300;
}

/** Reports whether the credentials may be the reason of a refusal that cannot say so. */
function isHiddenRefusal({ method }: S3Request, status: number): boolean {
  return method === "HEAD" && CREDENTIAL_STATUSES.has(status);
}

/** Returns the code of a network error, because its message may contain an address of the internal network. */
function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message;
}
