import { createHash } from "node:crypto";
import { Failure } from "@tollgate/contracts/failures.ts";
import type { MessageRequest } from "@tollgate/contracts/messages/message-request.ts";

/** Maximum length of a tool name for chat models, which is shorter than in the Messages API. */
const MAX_NAME = 64;
const DIGEST_LENGTH = 8;

type Tools = MessageRequest["tools"];

/** Converts the tools to chat functions. `keepsMarks` is true if the upstream supports cache marks. */
export function toChatTools(tools: Tools, keepsMarks = false): readonly object[] {
  return (tools ?? []).map((tool, index) => {
    const { name, type, description, input_schema: schema } = tool;
    if (name === undefined || (type != null && type !== "custom")) throw unknownTool(type ?? "custom", index);
    const { strict, cache_control: mark } = tool as { readonly strict?: unknown; readonly cache_control?: unknown };
    return {
      type: "function",
      function: {
        name: chatNameOf(name),
        ...(description != null && { description }),
        parameters: schema ?? { type: "object", properties: {} },
        ...(typeof strict === "boolean" && { strict }),
      },
      ...(keepsMarks && mark != null && { cache_control: mark }),
    };
  });
}

/** Converts the tool choice to the chat format. */
export function toChatToolChoice(choice: MessageRequest["tool_choice"]): object | string | null {
  switch (choice?.type) {
    case "any":
      return "required";
    case "tool":
      return { type: "function", function: { name: chatNameOf(choice.name) } };
    case "auto":
    case "none":
      return choice.type;
    default:
      return null;
  }
}

/** Returns a tool's name for chat models. The same tool always gets the same name. */
export function chatNameOf(name: string): string {
  if (name.length <= MAX_NAME) return name;
  const digest = createHash("sha256").update(name).digest("hex").slice(0, DIGEST_LENGTH);
  return `${name.slice(0, MAX_NAME - DIGEST_LENGTH - 1)}_${digest}`;
}

/** Maps chat tool names to the request's own tool names. Returns null if all names are unchanged. */
export function toolNamesOf(tools: Tools): ReadonlyMap<string, string> | null {
  const long = (tools ?? []).flatMap(({ name }) => (name !== undefined && name.length > MAX_NAME ? [name] : []));
  return long.length === 0 ? null : new Map(long.map((name) => [chatNameOf(name), name]));
}

function unknownTool(type: string, index: number): Failure {
  return new Failure("unsupported_tool", `The model does not support the tool '${type}'.`, {
    param: `tools.${index}`,
    fix: "Send tools with an 'input_schema', or choose an Anthropic model.",
  });
}
