import { readCutJson } from "./read-cut-json.ts";

/** Part of a message, ready to display as text. */
export type Piece =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "attachment"; readonly label: string }
  | { readonly kind: "tool_call"; readonly name: string; readonly input: string };

export interface Message {
  readonly role: string;
  readonly pieces: readonly Piece[];
}

/** A stored request and response. The end of a long one is missing. */
export interface StoredContent {
  readonly request: string;
  readonly answer: string;
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * Returns the messages of a request and its response, or null if the request isn't a conversation. Reads chat
 * completions, messages, responses, and requests with a single text, such as embeddings.
 */
export function readConversation({ request, answer }: StoredContent): readonly Message[] | null {
  const body = readCutJson(request);
  const asked = readRequest(body);
  if (asked === null) return null;
  // Only the text of a streamed response is stored, and the text may look like JSON.
  const isText = isFields(body) && body.stream === true;
  return [...asked, ...(isText && answer !== "" ? [say("assistant", answer)] : readAnswer(answer))];
}

function readRequest(body: unknown): readonly Message[] | null {
  if (!isFields(body)) return null;
  const rules = [...instructions(body.system), ...instructions(body.instructions)];
  if (Array.isArray(body.messages)) return [...rules, ...body.messages.filter(isFields).map(readMessage)];
  const input = body.prompt ?? body.input ?? body.query;
  const documents = Array.isArray(body.documents) ? body.documents.map(readDocument) : [];
  if (typeof input === "string") return [...rules, say("user", input), ...documents];
  if (!Array.isArray(input)) return null;
  if (input.every((each) => typeof each === "string")) return [...rules, ...input.map((each) => say("user", each))];
  return input.every(isFields) ? [...rules, ...input.flatMap(readItem)] : null;
}

function instructions(content: unknown): readonly Message[] {
  const pieces = readContent(content);
  return pieces.length === 0 ? [] : [{ role: "system", pieces }];
}

function readDocument(document: unknown): Message {
  return { role: "document", pieces: readContent(isFields(document) ? document.text : document) };
}

function readAnswer(text: string): readonly Message[] {
  if (text === "") return [];
  const body = readCutJson(text);
  if (!isFields(body)) return [say("assistant", text)];
  if (Array.isArray(body.choices)) return body.choices.filter(isFields).map(readChoice);
  if (Array.isArray(body.output)) return body.output.filter(isFields).flatMap(readItem);
  if (Array.isArray(body.content)) return [readMessage({ role: "assistant", ...body })];
  return typeof body.text === "string" ? [say("assistant", body.text)] : [];
}

function readChoice(choice: Fields): Message {
  return isFields(choice.message)
    ? readMessage({ role: "assistant", ...choice.message })
    : say("assistant", typeof choice.text === "string" ? choice.text : "");
}

/** Reads an item of the Responses API. Returns no message for reasoning without a summary. */
function readItem(item: Fields): readonly Message[] {
  const kind = typeof item.type === "string" ? item.type : "message";
  if (kind === "message") return [readMessage(item)];
  if (kind === "reasoning") {
    const pieces = [...readContent(item.summary), ...readContent(item.content)];
    return pieces.length === 0 ? [] : [{ role: "assistant", pieces }];
  }
  if (kind.endsWith("_output")) return [{ role: "tool", pieces: readContent(item.output) }];
  if (typeof item.name !== "string") return [{ role: "assistant", pieces: [readPart(item)].flat() }];
  return [{ role: "assistant", pieces: [toolCall(item.name, item.arguments ?? item.input)] }];
}

function readMessage(message: Fields): Message {
  const calls = Array.isArray(message.tool_calls) ? message.tool_calls.filter(isFields) : [];
  return {
    role: typeof message.role === "string" ? message.role : "unknown",
    pieces: [
      ...readContent(message.reasoning_content),
      ...readContent(message.content),
      ...readContent(message.refusal),
      ...calls.map(({ function: called }) =>
        isFields(called) ? toolCall(called.name, called.arguments) : toolCall(null, null),
      ),
    ],
  };
}

function readContent(content: unknown): readonly Piece[] {
  if (typeof content === "string") return content === "" ? [] : [textPiece(content)];
  return Array.isArray(content) ? content.filter(isFields).flatMap(readPart) : [];
}

function readPart(part: Fields): Piece | readonly Piece[] {
  const kind = typeof part.type === "string" ? part.type : "part";
  if (kind === "tool_use" || kind === "server_tool_use") return toolCall(part.name, part.input);
  if (kind === "tool_result") return readContent(part.content);
  const text = part.text ?? part.thinking ?? part.refusal;
  if (typeof text === "string") return textPiece(text);
  return { kind: "attachment", label: labels[kind] ?? kind.replaceAll("_", " ") };
}

const labels: Readonly<Record<string, string>> = {
  image: "Image",
  image_url: "Image",
  input_image: "Image",
  input_audio: "Audio",
  document: "File",
  file: "File",
  input_file: "File",
};

function toolCall(name: unknown, input: unknown): Piece {
  return {
    kind: "tool_call",
    name: typeof name === "string" ? name : "tool",
    input: typeof input === "string" ? input : isFields(input) ? jsonOf(input) : "",
  };
}

/** Returns the JSON text of a tool's arguments; empty if they are nested too deep for the stack. */
function jsonOf(input: Fields): string {
  try {
    return JSON.stringify(input);
  } catch {
    return "";
  }
}

const say = (role: string, text: string): Message => ({ role, pieces: [textPiece(text)] });
const textPiece = (text: string): Piece => ({ kind: "text", text });

function isFields(value: unknown): value is Fields {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
