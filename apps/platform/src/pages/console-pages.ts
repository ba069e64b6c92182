import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import { promisify } from "node:util";
import { brotliCompress, constants, gzip } from "node:zlib";
import type { ConsoleBundle, ConsoleFile } from "./console-bundle.ts";
import { type PageAnswer, refuseMethod } from "./page-answer.ts";
import { html, plainPage } from "./plain-page.ts";

/** Makes the answers of everything below `/ui/` from a bundle. */
export type ConsolePages = (request: IncomingMessage, path: string) => Promise<PageAnswer>;

const FOREVER = "public, max-age=31536000, immutable";
const COMPRESSED = /^(?:text\/|application\/|image\/svg)/;
const compressBrotli = promisify(brotliCompress);
const compressGzip = promisify(gzip);
/** Higher ones take seconds for a few per cent. */
const BROTLI_QUALITY = 6;

/** The console at one address of the installation, such as `/gateway`, or at its root. */
export function createConsolePages(bundle: ConsoleBundle, rootPath: string): ConsolePages {
  if (bundle.kind === "broken") return async () => describeBroken(bundle.problem, rootPath);
  const { content, policy } = writeIndex(bundle.indexHtml, bundle.files, rootPath);
  const index = new Served(Buffer.from(content), {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": policy,
    "cache-control": "no-cache",
  });
  const files = new Map([...bundle.files].map(([path, file]) => [path, serveFile(file)]));
  return async (request, path) => {
    if (request.method !== "GET" && request.method !== "HEAD") return refuseMethod("GET, HEAD");
    const file = files.get(path);
    if (file !== undefined) return file.answer(request);
    // What is no file of the bundle must not be answered by the page: a script that is HTML is a blank screen.
    if (path.startsWith("assets/") || !isRoute(path)) return describeMissing(rootPath);
    return index.answer(request);
  };
}

function serveFile({ bytes, contentType, isHashed }: ConsoleFile): Served {
  const caching = isHashed ? FOREVER : "no-cache";
  return new Served(bytes, { "content-type": contentType, "cache-control": caching });
}

/** Bytes with their forms for browsers that unpack, each made when it is first asked for. */
class Served {
  readonly #bytes: Buffer;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #packed = new Map<string, Promise<Buffer>>();

  constructor(bytes: Buffer, headers: Readonly<Record<string, string>>) {
    this.#bytes = bytes;
    const etag = `"${createHash("sha256").update(bytes).digest("base64url")}"`;
    this.#headers = { ...headers, etag, vary: "accept-encoding" };
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

/** The page with its address filled in, and what each script and style must be: a browser runs nothing else. */
function writeIndex(source: string, files: ReadonlyMap<string, ConsoleFile>, rootPath: string) {
  const scripts = [...files].filter(([path]) => path.endsWith(".js"));
  // For parts that are loaded later, which no element of the page names.
  const importMap = JSON.stringify({
    integrity: Object.fromEntries(scripts.map(([path, { integrity }]) => [`./${path}`, integrity])),
  });
  const content = source
    .replaceAll("%BASE%", rootPath)
    .replace(/<base [^>]*>/, (base) => `${base}<script type="importmap">${importMap}</script>`)
    .replaceAll(/<(?:script|link) [^>]*(?:src|href)="\.\/([^"]+)"[^>]*>/g, (element, path: string) => {
      const file = files.get(path);
      const isChecked = /\.(?:js|css)$/.test(path) && file !== undefined;
      return isChecked ? element.replace(/\s*\/?>$/, ` integrity="${file.integrity}">`) : element;
    });
  return { content, policy: writePolicy(createHash("sha256").update(importMap).digest("base64")) };
}

function writePolicy(importMapDigest: string): string {
  return [
    "default-src 'none'",
    `script-src 'self' 'sha256-${importMapDigest}'`,
    "style-src 'self'",
    // Widths of bars and places of menus are set on the elements themselves.
    "style-src-attr 'unsafe-inline'",
    "img-src 'self' data: blob:",
    "media-src blob: data:",
    "font-src 'self'",
    "connect-src 'self'",
    "manifest-src 'self'",
    "frame-ancestors 'none'",
    "base-uri 'self'",
    "form-action 'self'",
  ].join("; ");
}

/** Whether a path may be a page of the console: names of models have slashes and dots, but nobody climbs. */
function isRoute(path: string): boolean {
  try {
    const steps = decodeURIComponent(path).split(/[/\\]/);
    return !steps.some((step) => step === "." || step === ".." || step.includes("\0"));
  } catch {
    return false;
  }
}

/** Nothing has this address. */
export function describeMissing(rootPath: string): PageAnswer {
  return plainPage(
    404,
    "Not found",
    html`<h1>Nothing is here</h1>
<p>If a page of the console led here, it is from before an update: load it again.</p>
<p><a href="${rootPath}/ui/">Open the console</a></p>`,
  );
}

function describeBroken(problem: string, rootPath: string): PageAnswer {
  return plainPage(
    503,
    "Console not available",
    html`<h1>The console is not available</h1>
<p class="trouble" role="alert">${problem}</p>
<p>Everything else works: calls, the API and the command line. To build the console, then restart or reload the server:</p>
<pre>bin/pnpm --dir apps/ui build</pre>
<ul>
<li><a href="${rootPath}/fallback/login">Sign in without the console</a></li>
<li><a href="${rootPath}/docs/api">API reference</a></li>
</ul>`,
  );
}
