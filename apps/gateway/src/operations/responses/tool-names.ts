type Tool = Readonly<Record<string, unknown>>;

/** A tool with the name that the client uses. */
export interface NamedTool {
  readonly name: string;
  /** The namespace that the tool belongs to. */
  readonly namespace: string | null;
  /** True if the tool takes text instead of arguments. */
  readonly isCustom: boolean;
}

const MAX_NAME = 64;

/** Maps chat tool names, which have no namespaces, back to the request's tools. */
export class ToolNames {
  readonly #tools = new Map<string, NamedTool>();

  constructor(tools: readonly Tool[] | null | undefined) {
    for (const { tool, namespace } of flatTools(tools ?? [])) {
      const name = String(tool.name);
      this.#tools.set(chatNameOf(name, namespace), { name, namespace, isCustom: tool.type === "custom" });
    }
  }

  /** Returns the tool that a model called. Returns an unknown name unchanged. */
  find(chatName: string): NamedTool {
    return this.#tools.get(chatName) ?? { name: chatName, namespace: null, isCustom: false };
  }
}

interface FlatTool {
  readonly tool: Tool;
  readonly namespace: string | null;
}

/** Returns all tools, including those in namespaces, each with its namespace. */
export function flatTools(tools: readonly Tool[]): readonly FlatTool[] {
  return tools.flatMap<FlatTool>((tool) => {
    if (tool.type !== "namespace") return [{ tool, namespace: null }];
    const inner = Array.isArray(tool.tools) ? (tool.tools as readonly (Tool | null)[]) : [];
    // An entry that isn't a tool has no type and is rejected later.
    return inner.map((member) => ({ tool: member ?? {}, namespace: String(tool.name) }));
  });
}

/** Returns the chat name of a tool in a namespace. */
export function chatNameOf(name: string, namespace: unknown): string {
  return typeof namespace === "string" ? `${namespace}__${name}`.slice(0, MAX_NAME) : name;
}
