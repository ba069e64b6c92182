import type { AnswerForm } from "../../operations/operation-kind.ts";
import type { UpstreamHeaders } from "../../providers/provider.ts";

/** In which form an upstream answers, going by what it says of its body. */
export function formOf(headers: UpstreamHeaders, asked: AnswerForm): AnswerForm {
  const contentType = String(headers["content-type"] ?? "");
  if (contentType.startsWith("text/event-stream")) return "events";
  // Whatever is not JSON may be sound; JSON never is.
  return asked === "bytes" && !contentType.startsWith("application/json") ? "bytes" : "whole";
}

/** Whether the text has a complete frame with data in it; comments that keep a connection open do not count. */
export function hasFrame(text: string): boolean {
  const at = text.startsWith("data:") ? 0 : text.indexOf("\ndata:");
  if (at < 0) return false;
  return text.indexOf("\n\n", at) >= 0;
}
