import type { IncomingMessage } from "node:http";
import { type PageAnswer, redirect, refuseMethod } from "./page-answer.ts";
import { html, plainPage } from "./plain-page.ts";
import { ServedFile } from "./served-file.ts";
import type { VerifiedFiles } from "./verified-files.ts";

/** Responds to all paths below `/docs` with files from the built site. */
export type DocsPages = (request: IncomingMessage, path: string) => PageAnswer | Promise<PageAnswer>;

/** Content security policy that allows only files from this server. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "font-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Serves the documentation, because users may have no access to another copy. */
export function createDocsPages(site: VerifiedFiles, rootPath: string): DocsPages {
  if (site.kind === "broken") return () => describeBroken(site.problem, rootPath);
  const { files } = site;
  const served = new Map<string, ServedFile>();
  const serve = (path: string): ServedFile | null => {
    const known = served.get(path);
    const file = files.get(path);
    if (known !== undefined || file === undefined) return known ?? null;
    const made = ServedFile.of(file, path.endsWith(".html") ? { "content-security-policy": POLICY } : {});
    served.set(path, made);
    return made;
  };
  return (request, path) => {
    if (request.method !== "GET" && request.method !== "HEAD") return refuseMethod("GET, HEAD");
    // Links are relative to the page's folder, so folder URLs need a trailing slash.
    if (path === "" || files.has(`${path.slice(1)}/index.html`)) return redirect(`${rootPath}/docs${path}/`);
    const name = path.slice(1);
    const file = serve(name === "" || name.endsWith("/") ? `${name}index.html` : name) ?? serve(`${name}.html`);
    return file === null ? describeMissing(rootPath) : file.answer(request);
  };
}

function describeMissing(rootPath: string): PageAnswer {
  return plainPage(
    404,
    "Not found",
    html`<h1>Page not found</h1>
<p>The page may have a different name in this version.</p>
<p><a href="${rootPath}/docs/">All pages</a></p>`,
  );
}

function describeBroken(problem: string, rootPath: string): PageAnswer {
  return plainPage(
    503,
    "Documentation not available",
    html`<h1>The documentation is not available</h1>
<p class="trouble" role="alert">${problem}</p>
<p>Everything else works. Build the documentation, then reload the server:</p>
<pre>node scripts/build-docs.ts</pre>
<ul>
<li><a href="${rootPath}/docs/api">API reference</a></li>
</ul>`,
  );
}
