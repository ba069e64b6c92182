import type { IncomingMessage, ServerResponse } from "node:http";

/** HTTP response for a page. */
export interface PageAnswer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly content?: string | Buffer;
}

const always: Readonly<Record<string, string>> = {
  "x-content-type-options": "nosniff",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "permissions-policy": "camera=(), geolocation=(), microphone=(self), payment=(), usb=()",
  "referrer-policy": "no-referrer",
  "x-robots-tag": "noindex",
  "cache-control": "no-store",
};

/** Sends the response, without a body for HEAD requests. */
export function sendPage(request: IncomingMessage, response: ServerResponse, answer: PageAnswer): void {
  const content = Buffer.from(answer.content ?? "");
  response.writeHead(answer.status, { ...always, ...answer.headers, "content-length": content.length });
  response.end(request.method === "HEAD" ? undefined : content);
}

/** Redirects within this site. After a form submission, the browser continues with GET. */
export function redirect(location: string, headers: Readonly<Record<string, string | string[]>> = {}): PageAnswer {
  return { status: 303, headers: { ...headers, location } };
}

/** Rejects an unsupported method. */
export function refuseMethod(allowed: string): PageAnswer {
  const headers = { allow: allowed, "content-type": "text/plain; charset=utf-8" };
  return { status: 405, headers, content: `Use ${allowed}.\n` };
}
