import type { ServerResponse } from "node:http";

/** Answers a browser's preflight request. Keys are sent in headers, never in cookies, so any origin is allowed. */
export function answerPreflight(response: ServerResponse): void {
  response.writeHead(204, [
    "access-control-allow-origin",
    "*",
    "access-control-allow-methods",
    "GET, POST, DELETE, OPTIONS",
    "access-control-allow-headers",
    "*, authorization",
    "access-control-max-age",
    "600",
    "allow",
    "GET, POST, DELETE, OPTIONS",
    "content-length",
    "0",
  ]);
  response.end();
}
