import { Failure } from "@tollgate/contracts/failures.ts";

interface Part {
  readonly type?: unknown;
  readonly text?: unknown;
  readonly refusal?: unknown;
  readonly image_url?: unknown;
  readonly detail?: unknown;
  readonly file_data?: unknown;
  readonly file_url?: unknown;
  readonly filename?: unknown;
  readonly input_audio?: unknown;
}

/** Converts a user's content to the chat format. A single text part becomes a plain string. */
export function toUserContent(content: unknown, at: string): string | readonly object[] {
  if (!Array.isArray(content)) return textOf(content);
  const parts = (content as readonly Part[]).map((part, index) => toPart(part, `${at}.${index}`));
  const [first] = parts;
  return parts.length === 1 && first !== undefined && "text" in first ? String(first.text) : parts;
}

/** Splits a tool's output into text and images, because chat doesn't support images in a tool message. */
export function toolText(output: unknown, at: string): { readonly text: string; readonly pictures: readonly object[] } {
  if (!Array.isArray(output)) return { text: textOf(output), pictures: [] };
  const parts = (output as readonly Part[]).map((part, index) => toPart(part, `${at}.${index}`));
  const texts = parts.flatMap((part) => ("text" in part ? [String(part.text)] : []));
  return { text: texts.join("\n"), pictures: parts.filter((part) => !("text" in part)) };
}

/** Returns the text of a message, or of a list of parts. */
export function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return content == null ? "" : JSON.stringify(content);
  return (content as readonly (Part | null)[])
    .map((part) => (typeof part?.text === "string" ? part.text : ""))
    .filter((text) => text !== "")
    .join("\n");
}

function toPart(part: Part, at: string): object {
  switch (part?.type) {
    case "input_text":
    case "output_text":
    case "text":
      return { type: "text", text: textOf(part.text) };
    case "refusal":
      return { type: "text", text: textOf(part.refusal) };
    case "input_image":
      return toPicture(part, at);
    case "input_file":
      return toFile(part, at);
    case "input_audio":
      return { type: "input_audio", input_audio: part.input_audio };
    default:
      throw new Failure("invalid_request", "The model does not support parts of this type.", { param: `${at}.type` });
  }
}

function toPicture({ image_url: url, detail }: Part, at: string): object {
  if (typeof url !== "string") throw notKept(at, "image_url");
  const known = detail === "low" || detail === "high" || detail === "auto";
  return { type: "image_url", image_url: { url, ...(known && { detail }) } };
}

function toFile({ file_data: data, filename }: Part, at: string): object {
  if (typeof data !== "string") throw notKept(at, "file_data");
  return { type: "file", file: { file_data: data, ...(typeof filename === "string" && { filename }) } };
}

function notKept(at: string, member: string): Failure {
  return new Failure("invalid_request", "Stored files are not supported, and the model does not fetch files.", {
    param: at,
    fix: `Send the contents in '${member}'.`,
  });
}
