import { Failure } from "@tollgate/contracts/failures.ts";
import type { Block } from "../anthropic/wire.ts";
import { type ConverseBlock, cachePointOf } from "./converse-wire.ts";

const imageFormats: Readonly<Record<string, string>> = {
  "image/png": "png",
  "image/jpeg": "jpeg",
  "image/gif": "gif",
  "image/webp": "webp",
};

const documentFormats: Readonly<Record<string, string>> = {
  "application/pdf": "pdf",
  "text/csv": "csv",
  "application/msword": "doc",
  "application/vnd.openxmlformats-officedocument.wordprocessingml.document": "docx",
  "application/vnd.ms-excel": "xls",
  "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet": "xlsx",
  "text/html": "html",
  "text/plain": "txt",
  "text/markdown": "md",
};

const MAX_DOCUMENT_NAME = 200;

/** Converts Messages API blocks to Converse blocks, in which cache markers are separate blocks. */
export function toConverseBlocks(blocks: readonly Block[], keepsPrompts: boolean): readonly ConverseBlock[] {
  return blocks.flatMap((block) => {
    const translated = toConverseBlock(block, keepsPrompts);
    return block.cache_control == null || !keepsPrompts
      ? [translated]
      : [translated, cachePointOf(block.cache_control)];
  });
}

function toConverseBlock(block: Block, keepsPrompts: boolean): ConverseBlock {
  switch (block.type) {
    case "text":
      return { text: block.text };
    case "image":
      return { image: toMedia(block.source as Source, imageFormats) };
    case "document":
      return { document: { ...toMedia(block.source as Source, documentFormats), name: documentName(block.title) } };
    case "tool_use":
      return { toolUse: { toolUseId: block.id, name: block.name, input: block.input } };
    case "tool_result":
      return { toolResult: toToolResult(block, keepsPrompts) };
    case "thinking":
      return { reasoningContent: { reasoningText: { text: block.thinking, signature: block.signature } } };
    case "redacted_thinking":
      return { reasoningContent: { redactedContent: block.data } };
    default:
      throw new Failure("invalid_request", `This model does not support parts of type '${block.type}'.`, {
        param: "messages",
      });
  }
}

function toToolResult({ tool_use_id: toolUseId, content, is_error: isError }: Block, keepsPrompts: boolean): object {
  const blocks = typeof content === "string" ? [{ type: "text", text: content }] : ((content ?? []) as Block[]);
  return {
    toolUseId,
    content: toConverseBlocks(blocks, keepsPrompts).filter((block) => block.cachePoint === undefined),
    ...(isError === true && { status: "error" }),
  };
}

interface Source {
  readonly type?: unknown;
  readonly media_type?: unknown;
  readonly data?: unknown;
}

/** Converts an image or document. The Converse API accepts only inline bytes. */
function toMedia({ type, media_type: mediaType, data }: Source, formats: Readonly<Record<string, string>>): object {
  if (type === "url") {
    const fix = "Send it in the request as a data URL.";
    throw new Failure("invalid_request", "This model does not fetch URLs.", { param: "messages", fix });
  }
  const format = formats[String(mediaType)];
  if (format === undefined) {
    const known = Object.keys(formats).join(", ");
    throw new Failure(
      "invalid_request",
      `This model does not support '${String(mediaType)}'. Supported types: ${known}.`,
      {
        param: "messages",
      },
    );
  }
  const bytes = type === "text" ? Buffer.from(String(data), "utf8").toString("base64") : data;
  return { format, source: { bytes } };
}

/** Returns a valid document name. The provider requires a name and allows only certain characters. */
function documentName(title: unknown): string {
  const name = typeof title === "string" ? title.replace(/\.[A-Za-z0-9]{1,5}$/, "") : "";
  const fitting = name
    .replaceAll(/[^A-Za-z0-9 ()[\]-]/g, " ")
    .replaceAll(/ +/g, " ")
    .slice(0, MAX_DOCUMENT_NAME)
    .trim();
  return fitting === "" ? "document" : fitting;
}
