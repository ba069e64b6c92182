import type { ResponseRequest } from "@tollgate/contracts/responses/response-request.ts";
import { NO_PARTS, type PartTokens } from "../../call/operation-kind.ts";
import {
  audioTokens,
  fileTokens,
  hasOnly,
  imageTokens,
  type Recording,
  sumParts,
  UNBOUNDED,
  withTools,
} from "../estimate-input.ts";

/** Items whose content is in `content` or `output`. Others, such as references, can have any number of tokens. */
const ITEM_TYPES: ReadonlySet<unknown> = new Set([
  undefined,
  null,
  "message",
  "reasoning",
  "function_call",
  "function_call_output",
  "custom_tool_call",
  "custom_tool_call_output",
  "local_shell_call",
  "local_shell_call_output",
  "shell_call",
  "shell_call_output",
  "apply_patch_call",
  "apply_patch_call_output",
]);
const TEXT_NAMES: ReadonlySet<string> = new Set(["type", "text", "refusal", "annotations", "logprobs"]);
const SHELL_NAMES: ReadonlySet<string> = new Set(["stdout", "stderr", "outcome"]);
const IMAGE_NAMES: ReadonlySet<string> = new Set(["type", "image_url", "detail"]);
const AUDIO_NAMES: ReadonlySet<string> = new Set(["type", "input_audio"]);

interface Item {
  readonly type?: unknown;
  readonly content?: unknown;
  readonly output?: unknown;
}

interface Part {
  readonly type?: unknown;
  readonly text?: unknown;
  readonly refusal?: unknown;
  readonly image_url?: unknown;
  readonly detail?: unknown;
  readonly file_data?: unknown;
  readonly filename?: unknown;
  readonly input_audio?: Recording | null;
}

/** Estimates the tokens of a request's images and files, in messages and in tool outputs. */
export function estimateItemTokens(request: ResponseRequest): PartTokens {
  const { input } = request;
  const parts = typeof input === "string" ? NO_PARTS : sumParts(estimatesOf(input as readonly Item[]));
  // Fields in `extra_body` replace those of the request.
  const { max_tool_calls: replaced } = (request.extra_body ?? {}) as Pick<ResponseRequest, "max_tool_calls">;
  return withTools(parts, request, replaced === undefined ? request.max_tool_calls : replaced);
}

function* estimatesOf(items: readonly Item[]): Generator<PartTokens> {
  for (const { type, content, output } of items) {
    if (!ITEM_TYPES.has(type)) yield UNBOUNDED;
    for (const value of [content, output]) {
      const parts: readonly unknown[] = Array.isArray(value) ? value : [value];
      for (const part of parts) if (typeof part === "object" && part !== null) yield estimateOnePart(part);
    }
  }
}

function estimateOnePart(part: Part): PartTokens {
  const { type, text, refusal } = part;
  if (typeof text === "string" || typeof refusal === "string") return hasOnly(part, TEXT_NAMES) ? NO_PARTS : UNBOUNDED;
  if (type === "input_image" && hasOnly(part, IMAGE_NAMES)) return imageTokens(part.image_url, part);
  if (type === "input_file") return fileTokens(part);
  if (type === "input_audio" && hasOnly(part, AUDIO_NAMES)) return audioTokens(part.input_audio);
  return hasOnly(part, SHELL_NAMES) ? NO_PARTS : UNBOUNDED;
}
