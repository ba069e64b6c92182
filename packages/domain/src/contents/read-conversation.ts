/** Part of a message, ready to display as text. */
export type Piece =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "attachment"; readonly label: string }
  | { readonly kind: "tool_call"; readonly name: string; readonly input: string };

export interface Message {
  readonly role: string;
  readonly pieces: readonly Piece[];
}

interface Content {
  readonly request: string;
  readonly answer: string;
}

/** Returns the messages of a request and its response, or null if the request isn't a conversation. */
export function readConversation({ request, answer }: Content): readonly Message[] | null {
  const asked = readRequest(parse(request));
  if (asked === null) return null;
  return [...asked, ...readAnswer(answer)];
}

function readRequest(body: unknown): readonly Message[] | null {
  if (!isRecord(body)) return null;
  if (Array.isArray(body.messages)) return body.messages.filter(isRecord).map(readMessage);
  const input = body.prompt ?? body.input;
  if (typeof input === "string") return [say("user", input)];
  if (Array.isArray(input) && input.every((each) => typeof each === "string")) {
    return input.map((each: string) => say("user", each));
  }
  return null;
}

function readAnswer(text: string): readonly Message[] {
  if (text === "") return [];
  const body = parse(text);
  // Streamed responses are stored as plain text.
  if (!isRecord(body)) return [say("assistant", text)];
  const choices = Array.isArray(body.choices) ? body.choices.filter(isRecord) : [];
  return choices.map((choice) =>
    isRecord(choice.message)
      ? readMessage({ role: "assistant", ...choice.message })
      : say("assistant", typeof choice.text === "string" ? choice.text : ""),
  );
}

function readMessage(message: Readonly<Record<string, unknown>>): Message {
  const calls = Array.isArray(message.tool_calls) ? message.tool_calls.filter(isRecord) : [];
  const reasoning = typeof message.reasoning_content === "string" ? [textPiece(message.reasoning_content)] : [];
  return {
    role: typeof message.role === "string" ? message.role : "unknown",
    pieces: [...reasoning, ...readContent(message.content), ...calls.map(readToolCall)],
  };
}

function readContent(content: unknown): readonly Piece[] {
  if (typeof content === "string") return content === "" ? [] : [textPiece(content)];
  if (!Array.isArray(content)) return [];
  return content.filter(isRecord).map((part) => {
    if (typeof part.text === "string") return textPiece(part.text);
    const kind = typeof part.type === "string" ? part.type : "part";
    return { kind: "attachment", label: labels[kind] ?? kind.replaceAll("_", " ") };
  });
}

const labels: Readonly<Record<string, string>> = {
  image_url: "Image",
  input_image: "Image",
  input_audio: "Audio",
  file: "File",
};

function readToolCall(call: Readonly<Record<string, unknown>>): Piece {
  const called = isRecord(call.function) ? call.function : {};
  return {
    kind: "tool_call",
    name: typeof called.name === "string" ? called.name : "tool",
    input: typeof called.arguments === "string" ? called.arguments : "",
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

const say = (role: string, text: string): Message => ({ role, pieces: [textPiece(text)] });
const textPiece = (text: string): Piece => ({ kind: "text", text });

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}
