import type { AnswerForm } from "../../operations/operation-kind.ts";
import type { UpstreamHeaders } from "../../providers/provider.ts";

/** Returns the form of an upstream response, based on its content type. */
export function formOf(headers: UpstreamHeaders, asked: AnswerForm): AnswerForm {
  const contentType = String(headers["content-type"] ?? "");
  if (contentType.startsWith("text/event-stream")) return "events";
  // Any content type other than JSON may be audio.
  return asked === "bytes" && !contentType.startsWith("application/json") ? "bytes" : "whole";
}

/** Reports whether the text contains a complete frame with data. Keep-alive comments don't count. */
export function hasFrame(text: string): boolean {
  const at = text.startsWith("data:") ? 0 : text.indexOf("\ndata:");
  if (at < 0) return false;
  return text.indexOf("\n\n", at) >= 0;
}
