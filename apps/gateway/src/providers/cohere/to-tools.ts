import type { ChatRequest } from "@tollgate/contracts/chat/chat-request.ts";
import { Failure } from "@tollgate/contracts/failures.ts";
import { functionOfTool } from "../read-function.ts";

interface Choice {
  /** Null if the model decides whether to call a tool. */
  readonly mode: "REQUIRED" | "NONE" | null;
  /**
   * The names of the functions to offer; null offers all functions. The API can force a specific function only if no
   * other function is offered.
   */
  readonly offered: readonly string[] | null;
}

const modes: Readonly<Record<string, Choice["mode"]>> = {
  auto: null,
  none: "NONE",
  required: "REQUIRED",
  any: "REQUIRED",
};

/** Converts the tools and the tool choice. */
export function toTools({ tools, tool_choice: choice }: Pick<ChatRequest, "tools" | "tool_choice">): object {
  const { mode, offered } = readChoice(choice);
  const functions = (tools ?? []).map((tool, index) => functionOfTool(tool, `tools.${index}`));
  const kept = functions.filter(({ name }) => offered?.includes(name) ?? true);
  if (kept.length === 0) return {};
  return {
    tools: kept.map(({ name, description, parameters }) => ({
      type: "function",
      function: {
        name,
        ...(description != null && { description }),
        parameters: parameters ?? { type: "object", properties: {} },
      },
    })),
    ...(kept.some(({ strict }) => strict === true) && { strict_tools: true }),
    ...(mode !== null && { tool_choice: mode }),
  };
}

function readChoice(choice: ChatRequest["tool_choice"]): Choice {
  if (choice == null) return { mode: null, offered: null };
  if (typeof choice === "string") {
    const mode = modes[choice];
    if (mode === undefined) throw invalidChoice();
    return { mode, offered: null };
  }
  const { type, function: named, allowed_tools: allowed } = choice as NamedChoice;
  if (type === "function" && typeof named?.name === "string") return { mode: "REQUIRED", offered: [named.name] };
  if (type === "allowed_tools" && Array.isArray(allowed?.tools)) {
    const offered = allowed.tools.flatMap((tool) => tool?.function?.name ?? []);
    return { mode: allowed.mode === "required" ? "REQUIRED" : null, offered };
  }
  throw invalidChoice();
}

function invalidChoice(): Failure {
  return new Failure("invalid_request", "This model does not support this tool_choice.", { param: "tool_choice" });
}

interface NamedChoice {
  readonly type?: unknown;
  readonly function?: { readonly name?: unknown } | null;
  readonly allowed_tools?: {
    readonly mode?: string;
    readonly tools?: readonly ({ readonly function?: { readonly name?: string } } | null)[];
  };
}
