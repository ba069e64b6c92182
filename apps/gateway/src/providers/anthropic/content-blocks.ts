import { Failure } from "@tollgate/contracts/failures.ts";
import type { Block } from "./wire.ts";

/** A part of a message as clients send it. */
type Part = { readonly type?: string } & Readonly<Record<string, unknown>>;

export type Content = string | readonly Part[] | null | undefined;

const DATA_URL = /^data:([^;,]*)(?:;[^;,]*)*;base64,/;

/**
 * Converts a message's content to blocks. Empty text is omitted, because the provider rejects it. `at` is the message's
 * path for error messages.
 */
export function toBlocks(content: Content, at: string, keepsLong = false): Block[] {
  if (content == null || content === "") return [];
  if (typeof content === "string") return [{ type: "text", text: content }];
  const blocks: Block[] = [];
  for (const [index, part] of content.entries()) {
    const block = toBlock(part, `${at}.content.${index}`);
    if (block !== null) blocks.push({ ...block, ...cacheMark(part, `${at}.content.${index}`, keepsLong) });
  }
  return blocks;
}

/** Moves a message's cache mark to the message's last block. A mark covers everything up to and including its block. */
export function markLast(blocks: readonly Block[], mark: CacheMark): Block[] {
  const last = blocks.at(-1);
  if (mark === null || last === undefined) return [...blocks];
  return [...blocks.slice(0, -1), { ...last, ...mark }];
}

type CacheMark = { readonly cache_control: Readonly<Record<string, unknown>> } | null;

/** Returns the prompt caching mark of a part or message, if it has one. `keepsLong`: one-hour caches have a price. */
export function cacheMark(marked: Readonly<Record<string, unknown>>, at: string, keepsLong = false): CacheMark {
  const control = marked.cache_control as { readonly ttl?: unknown } | null | undefined;
  if (control == null) return null;
  if (keepsLong && control.ttl === "1h") return { cache_control: { type: "ephemeral", ttl: "1h" } };
  if (control.ttl != null && control.ttl !== "5m") {
    throw new Failure("unsupported_parameter", "No price is configured for this cache lifetime.", {
      param: `${at}.cache_control.ttl`,
      fix: "Remove 'ttl', or ask the operator to set cache_creation_input_token_cost_above_1hr on the deployment.",
    });
  }
  return { cache_control: { type: "ephemeral" } };
}

function toBlock(part: Part, at: string): Block | null {
  switch (part.type) {
    case "text":
      return part.text === "" ? null : { type: "text", text: part.text };
    case "refusal":
      return part.refusal === "" ? null : { type: "text", text: part.refusal };
    case "image_url":
      return { type: "image", source: sourceOf(addressOf(part.image_url), at) };
    case "file":
      return toDocument(part.file as FilePart, at);
    default:
      throw new Failure("invalid_request", `This model does not support parts of type '${String(part.type)}'.`, {
        param: at,
      });
  }
}

interface FilePart {
  readonly file_id?: string | null;
  readonly file_data?: string | null;
  readonly filename?: string | null;
}

/** Converts a file sent inline. File IDs are rejected, because they refer to files in the operator's own account. */
function toDocument({ file_id: id, file_data: data, filename }: FilePart, at: string): Block {
  if (data == null || id != null) {
    throw new Failure("invalid_request", "Send the file itself as a data URL in 'file_data'.", {
      param: `${at}.file`,
    });
  }
  const source = sourceOf(data, at);
  if (String(source.media_type).startsWith("image/")) return { type: "image", source };
  return { type: "document", source: asText(source), ...(filename != null && { title: filename }) };
}

type Source = Readonly<Record<string, unknown>>;

/** Returns the source of an image or document: inline data, or a URL that the provider fetches. */
function sourceOf(address: string, at: string): Source {
  const inline = DATA_URL.exec(address);
  if (inline !== null) {
    const type = (inline[1] ?? "").toLowerCase();
    return {
      type: "base64",
      media_type: type === "image/jpg" ? "image/jpeg" : type,
      data: address.slice(inline[0].length),
    };
  }
  if (address.startsWith("https://")) return { type: "url", url: address };
  throw new Failure("invalid_request", "A URL must start with https:// or be a base64 data URL.", {
    param: at,
  });
}

/** Decodes plain text documents. The provider reads other documents as bytes. */
function asText(source: Source): Source {
  if (source.media_type !== "text/plain") return source;
  return { ...source, type: "text", data: Buffer.from(String(source.data), "base64").toString("utf8") };
}

function addressOf(image: unknown): string {
  return typeof image === "string" ? image : String((image as { readonly url?: unknown } | null)?.url);
}
