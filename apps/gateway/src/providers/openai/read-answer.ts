import { Failure } from "@tollgate/contracts/failures.ts";
import { findTopLevelString } from "@tollgate/domain/json-text.ts";
import type { ChatCall } from "../../pipeline/call.ts";
import type { ReadAnswer } from "../provider.ts";
import { findUsage } from "./read-usage.ts";

/** Reads a complete answer of this wire: the caller's name for the model goes in, the usage comes out, the rest stays. */
export function readChatAnswer(call: ChatCall, text: string): ReadAnswer {
  const found = findUsage(text);
  // A body in which usage stands where it should is JSON of the expected kind; anything else is looked at whole.
  if (found === null) assertReadable(text);
  const model = findTopLevelString(text, "model");
  if (model === null) return { text, usage: found?.usage ?? null };
  return {
    text: text.slice(0, model.start) + call.model.shownJson + text.slice(model.end),
    usage: found?.usage ?? null,
  };
}

function assertReadable(text: string): void {
  try {
    const parsed: unknown = JSON.parse(text);
    if (typeof parsed === "object" && parsed !== null && Array.isArray((parsed as { choices?: unknown }).choices))
      return;
  } catch (error) {
    throw unreadable(error);
  }
  throw unreadable(undefined);
}

function unreadable(cause: unknown): Failure {
  return new Failure("bad_gateway", "The model answered something that cannot be read.", { cause });
}
