import { parseJson } from "../../format/parse-json.ts";
import { noParameters, numberParameters } from "./chat-parameters.ts";
import { type ChatState, emptyColumn, type Turn } from "./chat-state.ts";

/** Reads a logged chat request to replay it; null if it isn't a chat. */
export function readLoggedRequest(text: string): ChatState | null {
  const body = parseJson(text) as Record<string, unknown> | undefined;
  if (typeof body !== "object" || body === null || !Array.isArray(body.messages)) return null;
  const messages = body.messages as readonly { readonly role?: unknown; readonly content?: unknown }[];
  const numbers = numberParameters.flatMap(({ name }) =>
    typeof body[name] === "number" ? [[name, String(body[name])]] : [],
  );
  return {
    shared: {
      ...noParameters,
      ...(Object.fromEntries(numbers) as object),
      system: messages.flatMap(({ role, content }) => (isSystem(role) ? [textOf(content)] : [])).join("\n"),
      tools: Array.isArray(body.tools) ? JSON.stringify(body.tools, null, 2) : "",
      stream: body.stream === true ? "true" : "",
    },
    columns: [{ ...emptyColumn("column-1", String(body.model ?? "")), branches: [turnsFrom(messages)] }],
  };
}

function turnsFrom(messages: readonly { readonly role?: unknown; readonly content?: unknown }[]): readonly Turn[] {
  const turns: Turn[] = [];
  for (const { role, content } of messages) {
    if (role === "user") {
      turns.push({ id: `turn-${turns.length + 1}`, text: textOf(content), images: [], answer: null });
    }
    const last = turns.at(-1);
    if (role !== "assistant" || last === undefined) continue;
    const answer = { text: textOf(content), reasoning: "", toolCalls: [], state: "done" as const };
    turns[turns.length - 1] = { ...last, answer: { ...answer, facts: null, finishReason: null, error: null } };
  }
  return turns;
}

const isSystem = (role: unknown): boolean => role === "system" || role === "developer";

function textOf(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return (content as readonly { text?: unknown }[])
    .map(({ text }) => (typeof text === "string" ? text : ""))
    .join("\n");
}
