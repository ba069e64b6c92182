import { Failure } from "@tollgate/contracts/failures.ts";
import type { OperationDescription } from "@tollgate/contracts/operations.ts";
import { VERSION } from "../../call/version.ts";
import type { ApiContext } from "../api-context.ts";
import { type OpenOperation, type PageAnswer, redirectTo } from "../api-operation.ts";
import { loadReferenceScript } from "./api-reference-script.ts";

const page = {
  tag: "reference",
  method: "GET",
  auth: "none",
  routeGroup: "public",
  billing: "free",
  bodyLimitBytes: 0,
  timeoutMs: 10_000,
} as const satisfies Partial<OperationDescription>;

/** Allows requests only to this server, regardless of what the page's script tries to load. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data: blob:",
  "media-src 'self' data: blob:",
  "font-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join("; ");

/** Redirects to the API reference. */
export const docs: OpenOperation = {
  ...page,
  id: "getDocs",
  summary: "Redirect to the API reference",
  paths: ["/docs"],
  answers: { 302: { description: "The API reference is at `/docs/api`." } },
  handle: (_input, context) => redirectTo(`${rootPathOf(context)}/docs/api`),
};

/** Serves the API reference page. This server also hosts all of the page's assets. */
export const apiReference: OpenOperation = {
  ...page,
  id: "getApiReference",
  summary: "Read the API reference",
  paths: ["/docs/api"],
  answers: { 200: { description: "The API reference.", contentType: "text/html" } },
  handle: (_input, context) => ({
    status: 200,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": contentSecurityPolicy,
      "referrer-policy": "no-referrer",
    },
    content: renderPage(rootPathOf(context)),
  }),
};

/** Serves the page's two scripts: the viewer and the script that starts it. */
export const apiReferenceAsset: OpenOperation = {
  ...page,
  id: "getApiReferenceAsset",
  summary: "Load a script for the API reference page",
  paths: ["/docs/api/{asset}"],
  answers: { 200: { description: "A script.", contentType: "text/javascript" } },
  handle({ params, acceptsGzip }, context) {
    switch (params.asset) {
      case "":
        return redirectTo(`${rootPathOf(context)}/docs/api`);
      case "start.js":
        return { status: 200, headers: { "content-type": JAVASCRIPT }, content: renderStart(rootPathOf(context)) };
      case "viewer.js":
        return answerViewer(acceptsGzip);
      default:
        throw new Failure("not_found", "Unknown script.");
    }
  },
};

const JAVASCRIPT = "text/javascript; charset=utf-8";

/**
 * Serves the viewer, which is four megabytes. The response is compressed, and clients can cache it because its URL
 * contains the version.
 */
async function answerViewer(acceptsGzip: boolean): Promise<PageAnswer> {
  const { plain, gzipped } = await loadReferenceScript();
  return {
    status: 200,
    headers: {
      "content-type": JAVASCRIPT,
      "cache-control": "public, max-age=31536000, immutable",
      vary: "accept-encoding",
      ...(acceptsGzip && { "content-encoding": "gzip" }),
    },
    content: acceptsGzip ? gzipped : plain,
  };
}

/** Renders the page. Scripts are separate files, so that the policy can forbid inline scripts. */
function renderPage(rootPath: string): string {
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Tollgate API reference</title>
  </head>
  <body>
    <div id="app"></div>
    <noscript>This page requires JavaScript. The OpenAPI document is at <a href="${rootPath}/openapi.json">openapi.json</a>.</noscript>
    <script src="${rootPath}/docs/api/viewer.js?v=${VERSION}"></script>
    <script src="${rootPath}/docs/api/start.js"></script>
  </body>
</html>
`;
}

/** Renders the start script, which disables every request from the viewer to its vendor. */
function renderStart(rootPath: string): string {
  const configuration = {
    url: `${rootPath}/openapi.json`,
    withDefaultFonts: false,
    telemetry: false,
    showDeveloperTools: "never",
    hideClientButton: true,
    agent: { disabled: true },
    mcp: { disabled: true },
  };
  return `Scalar.createApiReference("#app", ${JSON.stringify(configuration)});\n`;
}

function rootPathOf(context: ApiContext): string {
  return context.current().settings.general.serverRootPath;
}
