import { createHash } from "node:crypto";
import type { IncomingMessage } from "node:http";
import type { ConsoleBundle } from "./console-bundle.ts";
import { type PageAnswer, refuseMethod } from "./page-answer.ts";
import { html, plainPage } from "./plain-page.ts";
import { ServedFile } from "./served-file.ts";
import type { VerifiedFile } from "./verified-files.ts";

/** Responds to all paths below `/ui/` from a bundle. */
export type ConsolePages = (request: IncomingMessage, path: string) => Promise<PageAnswer>;

/** Creates the console's pages under a root path, such as `/gateway`. */
export function createConsolePages(bundle: ConsoleBundle, rootPath: string): ConsolePages {
  if (bundle.kind === "broken") return async () => describeBroken(bundle.problem, rootPath);
  const { content, policy } = writeIndex(bundle.indexHtml, bundle.files, rootPath);
  const index = new ServedFile(Buffer.from(content), {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": policy,
    "cache-control": "no-cache",
  });
  const files = new Map([...bundle.files].map(([path, file]) => [path, ServedFile.of(file)]));
  return async (request, path) => {
    if (request.method !== "GET" && request.method !== "HEAD") return refuseMethod("GET, HEAD");
    const file = files.get(path);
    if (file !== undefined) return file.answer(request);
    // Return 404 for missing files. If the index page were sent in place of a script, the browser would show a blank
    // screen.
    if (path.startsWith("assets/") || !isRoute(path)) return describeMissing(rootPath);
    return index.answer(request);
  };
}

/** Returns the index page with its base path and integrity digests, so that browsers run only the verified files. */
function writeIndex(source: string, files: ReadonlyMap<string, VerifiedFile>, rootPath: string) {
  const scripts = [...files].filter(([path]) => path.endsWith(".js"));
  // The import map contains the digests of modules that are loaded later and that no page element references.
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
    // The console sets bar widths and menu positions as inline styles.
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

/**
 * Reports whether a path may be a console page. Model names may contain slashes and dots, but path traversal is
 * rejected.
 */
function isRoute(path: string): boolean {
  try {
    const steps = decodeURIComponent(path).split(/[/\\]/);
    return !steps.some((step) => step === "." || step === ".." || step.includes("\0"));
  } catch {
    return false;
  }
}

/** Returns the 404 page. */
export function describeMissing(rootPath: string): PageAnswer {
  return plainPage(
    404,
    "Not found",
    html`<h1>Page not found</h1>
<p>If you followed a link in the console, the console was updated in the meantime. Reload it.</p>
<p><a href="${rootPath}/ui/">Open the console</a></p>`,
  );
}

function describeBroken(problem: string, rootPath: string): PageAnswer {
  return plainPage(
    503,
    "Console not available",
    html`<h1>The console is not available</h1>
<p class="trouble" role="alert">${problem}</p>
<p>Inference, the API, and the CLI still work. Build the console, then restart or reload the server:</p>
<pre>bin/pnpm --dir apps/ui build</pre>
<ul>
<li><a href="${rootPath}/fallback/login">Sign in without the console</a></li>
<li><a href="${rootPath}/docs/api">API reference</a></li>
</ul>`,
  );
}
