import { OPERATIONS, type Operation } from "../handlers.ts";

/** Formats the startup message: the URL, the functions, and how to stop. */
export function formatStartBlock(url: string, has: (operation: Operation) => boolean): string {
  const functions = OPERATIONS.map((operation) => `${operation} ${has(operation) ? "✓" : "–"}`).join("  ");
  const served = OPERATIONS.filter(has).map((operation) => `POST /${operation}`);
  const missing = OPERATIONS.filter((operation) => !has(operation));
  const note = missing.length === 0 ? "" : `      (${missing.join(", ")} not registered: 501 if called)`;
  return [
    `participant  ${url}      functions  ${functions}`,
    `  ${served.join("      ")}${note}`,
    "  Health /health   Schema /openapi.json    Ctrl-C to stop",
  ].join("\n");
}
