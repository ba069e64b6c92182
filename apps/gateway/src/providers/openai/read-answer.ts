import { findTopLevelString } from "@tollgate/domain/json-text.ts";
import { unreadable } from "../invalid-response.ts";
import type { ReadAnswer, TranslatedCall } from "../provider.ts";
import { readReportedFailure } from "./read-failure.ts";
import { findUsage } from "./read-usage.ts";

/** Reads a complete response. Replaces the model name, extracts the usage, and leaves the rest unchanged. */
export function readChatAnswer(call: TranslatedCall, text: string): ReadAnswer {
  const found = findUsage(text);
  // An object with valid usage counts as a valid response without further parsing. Any other text is parsed and
  // validated.
  if (found?.usage == null || !isObjectAround(text, found.end)) assertReadable(text);
  const model = findTopLevelString(text, "model");
  if (model === null) return { text, usage: found?.usage ?? null };
  return {
    text: text.slice(0, model.start) + call.model.shownJson + text.slice(model.end),
    usage: found?.usage ?? null,
  };
}

/** Reports whether the text starts with a brace and ends with a brace after `end`. */
function isObjectAround(text: string, end: number): boolean {
  let last = text.length - 1;
  while (text.charCodeAt(last) <= 32) last -= 1;
  return text.charCodeAt(0) === 123 && text.charCodeAt(last) === 125 && last >= end;
}

function assertReadable(text: string): void {
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === "object" && parsed !== null && Array.isArray((parsed as { choices?: unknown }).choices))
      return;
  } catch (error) {
    throw unreadable(error);
  }
  // The body can report a failure, because some upstreams send status 200 before they detect it.
  throw readReportedFailure(text, 502) ?? unreadable();
}
