import { findTopLevelString } from "@tollgate/domain/json-text.ts";
import type { ReadAnswer, TranslatedCall } from "../provider.ts";
import { unreadable } from "../unreadable.ts";
import { readReportedFailure } from "./read-failure.ts";
import { findUsage } from "./read-usage.ts";

/** Reads a complete answer of this wire: the caller's name for the model goes in, the usage comes out, the rest stays. */
export function readChatAnswer(call: TranslatedCall, text: string): ReadAnswer {
  const found = findUsage(text);
  // An object in which usage stands where it should is an answer of the expected kind; anything else is looked at whole.
  if (found?.usage == null || !isObjectAround(text, found.end)) assertReadable(text);
  const model = findTopLevelString(text, "model");
  if (model === null) return { text, usage: found?.usage ?? null };
  return {
    text: text.slice(0, model.start) + call.model.shownJson + text.slice(model.end),
    usage: found?.usage ?? null,
  };
}

/** Whether the text opens with a brace and closes with another than the one just before `end`. */
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
  // Some upstreams begin to answer before they know that they cannot.
  throw readReportedFailure(text, 502) ?? unreadable();
}
