import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { PageAnswer } from "./page-answer.ts";
import type { VerifiedFile } from "./verified-files.ts";

const FOREVER = "public, max-age=31536000, immutable";
const COMPRESSED = /^(?:text\/|application\/|image\/svg)/;
const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);
/** Brotli quality. Higher levels take seconds and save only a few percent. */
const BROTLI_QUALITY = 6;

/** A file with its compressed variants, each created on first use. */
export class ServedFile {
  readonly #bytes: Buffer;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #packed = new Map<string, Promise<Buffer>>();

  constructor(bytes: Buffer, headers: Readonly<Record<string, string>>) {
    this.#bytes = bytes;
    const etag = `"${createHash("sha256").update(bytes).digest("base64url")}"`;
    this.#headers = { ...headers, etag, vary: "accept-encoding" };
  }

  /** Creates a served file from build output. Browsers cache hashed files forever. */
  static of(
    { bytes, contentType, isHashed }: VerifiedFile,
    headers: Readonly<Record<string, string>> = {},
  ): ServedFile {
    const caching = isHashed ? FOREVER : "no-cache";
    return new ServedFile(bytes, { "content-type": contentType, "cache-control": caching, ...headers });
  }

  async answer(request: IncomingMessage): Promise<PageAnswer> {
    const headers = this.#headers;
    if (request.headers["if-none-match"] === headers.etag) return { status: 304, headers };
    const encoding = COMPRESSED.test(headers["content-type"] ?? "") ? chooseEncoding(request) : null;
    if (encoding === null) return { status: 200, headers, content: this.#bytes };
    return {
      status: 200,
      headers: { ...headers, "content-encoding": encoding },
      content: await this.#pack(encoding),
    };
  }

  #pack(encoding: "br" | "gzip"): Promise<Buffer> {
    let packed = this.#packed.get(encoding);
    if (packed === undefined) {
      const params = { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY };
      packed = encoding === "br" ? compressBrotli(this.#bytes, { params }) : compressGzip(this.#bytes);
      this.#packed.set(encoding, packed);
    }
    return packed;
  }
}

function chooseEncoding({ headers }: IncomingMessage): "br" | "gzip" | null {
  const accepted = String(headers["accept-encoding"] ?? "");
  if (/\bbr\b(?!\s*;\s*q=0(?:\.0+)?(?:\s|,|$))/.test(accepted)) return "br";
  return /\bgzip\b(?!\s*;\s*q=0(?:\.0+)?(?:\s|,|$))/.test(accepted) ? "gzip" : null;
}
