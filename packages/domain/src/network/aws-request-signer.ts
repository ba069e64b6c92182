import { createHmac, hash } from "node:crypto";

const ALGORITHM = "AWS4-HMAC-SHA256";

/** Credentials of an AWS account, or of another service that checks the same signatures. */
export interface AwsCredentials {
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  readonly sessionToken: string | null;
}

/** A request as sent over the network, with its escaped path and the headers to sign. */
export interface SignableRequest {
  readonly method: string;
  readonly host: string;
  readonly path: string;
  /** Pairs of a name and a value, before they are escaped. */
  readonly query: readonly (readonly [name: string, value: string])[];
  /** Pairs of a lowercase name and a value. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  /** SHA-256 of the body, in hexadecimal. */
  readonly bodySha256: string;
}

/** Signs requests to one AWS service in one region with AWS Signature Version 4. */
export class RequestSigner {
  readonly #credentials: AwsCredentials;
  readonly #region: string;
  readonly #service: string;
  /** The day of the current signing key. A new key is derived each day. */
  #day = "";
  #dayKey: Buffer = Buffer.alloc(0);

  constructor(credentials: AwsCredentials, region: string, service: string) {
    this.#credentials = credentials;
    this.#region = region;
    this.#service = service;
  }

  /** Returns the headers to add to the request, as alternating names and values. */
  sign(request: SignableRequest, now: Date): readonly string[] {
    const { accessKeyId, sessionToken } = this.#credentials;
    const time = now.toISOString().replaceAll(/[-:]|\.\d{3}/g, "");
    const day = time.slice(0, 8);
    const added: (readonly [string, string])[] = [["x-amz-date", time]];
    if (sessionToken !== null) added.push(["x-amz-security-token", sessionToken]);
    const signed = [["host", request.host] as const, ...request.headers, ...added].sort(([one], [other]) =>
      one < other ? -1 : 1,
    );
    const names = signed.map(([name]) => name).join(";");
    const canonical = [
      request.method,
      this.#service === "s3" ? request.path : escapeAgain(request.path),
      escapeQuery(request.query),
      ...signed.map(([name, value]) => `${name}:${value.trim()}`),
      "",
      names,
      request.bodySha256,
    ].join("\n");
    const scope = `${day}/${this.#region}/${this.#service}/aws4_request`;
    const text = `${ALGORITHM}\n${time}\n${scope}\n${sha256(canonical)}`;
    const signature = hmac(this.#keyOf(day), text).toString("hex");
    const authorization = `${ALGORITHM} Credential=${accessKeyId}/${scope}, SignedHeaders=${names}, Signature=${signature}`;
    return [...added.flat(), "authorization", authorization];
  }

  #keyOf(day: string): Buffer {
    if (this.#day !== day) {
      const dated = hmac(`AWS4${this.#credentials.secretAccessKey}`, day);
      this.#dayKey = hmac(hmac(hmac(dated, this.#region), this.#service), "aws4_request");
      this.#day = day;
    }
    return this.#dayKey;
  }
}

/** Escapes the already escaped path a second time, as the signature algorithm requires of every service except S3. */
function escapeAgain(path: string): string {
  return path.split("/").map(escapeText).join("/");
}

/** Escapes a query in the order in which it is signed: by escaped names, and by escaped values within a name. */
export function escapeQuery(query: SignableRequest["query"]): string {
  return query
    .map(([name, value]) => [escapeText(name), escapeText(value)] as const)
    .sort(([name, value], [otherName, otherValue]) =>
      name === otherName ? compareText(value, otherValue) : compareText(name, otherName),
    )
    .map(([name, value]) => `${name}=${value}`)
    .join("&");
}

function compareText(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}

/** Escapes all characters except letters, digits, and `-._~`. */
function escapeText(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function sha256(text: string): string {
  return hash("sha256", text, "hex");
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac("sha256", key).update(text).digest();
}
