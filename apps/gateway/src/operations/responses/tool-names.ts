type Tool = Readonly<Record<string, unknown>>;

/** A tool as its client knows it. */
export interface NamedTool {
  readonly name: string;
  /** The group of tools it belongs to. */
  readonly namespace: string | null;
  /** It takes a text, and not arguments. */
  readonly isCustom: boolean;
}

const MAX_NAME = 64;

/** The tools of a request by the names under which a chat model, which knows no groups of tools, calls them. */
export class ToolNames {
  readonly #tools = new Map<string, NamedTool>();

  constructor(tools: readonly Tool[] | null | undefined) {
    for (const { tool, namespace } of flatTools(tools ?? [])) {
      const name = String(tool.name);
      this.#tools.set(chatNameOf(name, namespace), { name, namespace, isCustom: tool.type === "custom" });
    }
  }

  /** The tool that a model called, by whatever name it said where it said another. */
  find(chatName: string): NamedTool {
    return this.#tools.get(chatName) ?? { name: chatName, namespace: null, isCustom: false };
  }
}

interface FlatTool {
  readonly tool: Tool;
  readonly namespace: string | null;
}

/** All tools, those in groups too, each with its group. */
export function flatTools(tools: readonly Tool[]): readonly FlatTool[] {
  return tools.flatMap<FlatTool>((tool) => {
    if (tool.type !== "namespace") return [{ tool, namespace: null }];
    const inner = Array.isArray(tool.tools) ? (tool.tools as readonly (Tool | null)[]) : [];
    // What is no tool at all has no type either, which is refused.
    return inner.map((member) => ({ tool: member ?? {}, namespace: String(tool.name) }));
  });
}

/** What a chat model calls a tool of a group. */
export function chatNameOf(name: string, namespace: unknown): string {
  return typeof namespace === "string" ? `${namespace}__${name}`.slice(0, MAX_NAME) : name;
}
