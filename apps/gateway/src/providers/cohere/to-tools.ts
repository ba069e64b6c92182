import type { ChatRequest } from "@tollgate/contracts/chat/chat-request.ts";
import { Failure } from "@tollgate/contracts/failures.ts";

interface FunctionDefinition {
  readonly name: string;
  readonly description?: string | null;
  readonly parameters?: object | null;
  readonly strict?: boolean | null;
}

interface Choice {
  /** Null if the model decides whether to call a tool. */
  readonly mode: "REQUIRED" | "NONE" | null;
  /**
   * The names of the functions to offer; null offers all functions. The API can force a specific function only if no
   * other function is offered.
   */
  readonly offered: readonly string[] | null;
}

const modes: Readonly<Record<string, Choice["mode"]>> = { none: "NONE", required: "REQUIRED" };

/** Converts the tools and the tool choice. */
export function toTools({ tools, tool_choice: choice }: Pick<ChatRequest, "tools" | "tool_choice">): object {
  const { mode, offered } = readChoice(choice);
  const functions = (tools ?? []).map((tool, index): FunctionDefinition => {
    if (tool.type === "function") return tool.function as FunctionDefinition;
    throw new Failure("unsupported_tool", "This model supports only tools of type 'function'.", {
      param: `tools.${index}.type`,
    });
  });
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
  if (typeof choice === "string") return { mode: modes[choice] ?? null, offered: null };
  const { type, function: named, allowed_tools: allowed } = choice as NamedChoice;
  if (type === "function" && typeof named?.name === "string") return { mode: "REQUIRED", offered: [named.name] };
  if (type === "allowed_tools" && Array.isArray(allowed?.tools)) {
    const offered = allowed.tools.flatMap((tool) => tool?.function?.name ?? []);
    return { mode: allowed.mode === "required" ? "REQUIRED" : null, offered };
  }
  throw new Failure("invalid_request", "This model does not support this tool_choice.", { param: "tool_choice" });
}

interface NamedChoice {
  readonly type: string;
  readonly function?: { readonly name?: unknown };
  readonly allowed_tools?: {
    readonly mode?: string;
    readonly tools?: readonly ({ readonly function?: { readonly name?: string } } | null)[];
  };
}
