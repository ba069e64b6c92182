import type { SendOptions } from "@tollgate/sdk/http/send-request.ts";
import type { Io } from "./io.ts";
import { printable } from "./output/printable.ts";

const MAX_SHOWN = 4000;
const secretMembers = /("(?:[\w-]*(?:token|secret|password|apiKey|api_key)[\w-]*)"\s*:\s*)"[^"]*"/gi;
const secretTexts = /\b(?:sk-[\w-]{4}|eyJ[\w-]{4})[\w.-]*/g;

/** Logs each request and response to standard error, optionally with bodies. Secrets are masked. */
export function logRequests(io: Io, hasBodies: boolean): Pick<SendOptions, "onRequest" | "onAnswer"> {
  const tell = (text: string) => void io.stderr.write(`${printable(text)}\n`);
  const body = (text: string | null) => {
    if (hasBodies && text !== null && text !== "") tell(`  ${maskSecrets(text).slice(0, MAX_SHOWN)}`);
  };
  return {
    onRequest: ({ method, url, attempt, body: sent }) => {
      tell(`> ${method} ${url}${attempt > 1 ? ` (attempt ${attempt})` : ""}`);
      body(sent);
    },
    onAnswer: ({ status, durationMs, requestId, text }) => {
      tell(`< ${status} ${durationMs.toFixed(0)} ms ${requestId ?? ""}`.trimEnd());
      body(text);
    },
  };
}

/** Masks secrets in text. */
function maskSecrets(text: string): string {
  return text.replaceAll(secretMembers, '$1"***"').replaceAll(secretTexts, "***");
}
