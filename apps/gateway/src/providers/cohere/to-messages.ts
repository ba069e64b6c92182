import type { ChatRequest } from "@tollgate/contracts/chat/chat-request.ts";
import { Failure } from "@tollgate/contracts/failures.ts";

type ChatMessage = ChatRequest["messages"][number];
type AssistantMessage = Extract<ChatMessage, { role: "assistant" }>;
type UserMessage = Extract<ChatMessage, { role: "user" }>;

/** Converts the messages to the Cohere format, which is close to the chat format. */
export function toMessages(messages: readonly ChatMessage[]): readonly object[] {
  return messages.map((message, index) => toMessage(message, `messages.${index}`));
}

function toMessage(message: ChatMessage, place: string): object {
  switch (message.role) {
    case "system":
    case "developer":
      return { role: "system", content: textOf(message.content) };
    case "user":
      return { role: "user", content: userContent(message.content, place) };
    case "assistant":
      return assistantMessage(message, place);
    case "tool":
      return { role: "tool", tool_call_id: message.tool_call_id, content: textOf(message.content) };
    case "function":
      throw refused("This model supports tool results, but not the older function results.", place);
  }
}

function userContent(content: UserMessage["content"], place: string): unknown {
  if (typeof content === "string") return content;
  return content.map((part, index) => {
    if (part.type === "text") return { type: "text", text: part.text };
    if (part.type !== "image_url") {
      throw refused("This model supports only text and images.", `${place}.content.${index}.type`);
    }
    const image = typeof part.image_url === "string" ? { url: part.image_url } : part.image_url;
    return { type: "image_url", image_url: { url: image.url, ...(image.detail != null && { detail: image.detail }) } };
  });
}

/** Converts an assistant message. In the Cohere format, text before tool calls is a tool plan. */
function assistantMessage(message: AssistantMessage, place: string): object {
  if (message.function_call != null) {
    throw refused("This model supports tool calls, but not the older function calls.", `${place}.function_call`);
  }
  const text = textOf(message.content);
  const calls = (message.tool_calls ?? []).map((call, index) => {
    if (call.type === "function") {
      return {
        id: call.id,
        type: "function",
        function: { name: call.function.name, arguments: call.function.arguments },
      };
    }
    throw refused("This model supports only function calls.", `${place}.tool_calls.${index}.type`);
  });
  if (calls.length === 0) return { role: "assistant", content: text };
  return { role: "assistant", tool_calls: calls, ...(text !== "" && { tool_plan: text }) };
}

function textOf(content: ChatMessage["content"]): string {
  if (typeof content === "string") return content;
  return (content ?? []).map((part) => (part.type === "text" ? part.text : "")).join("");
}

function refused(message: string, param: string): Failure {
  return new Failure("invalid_request", message, { param });
}
