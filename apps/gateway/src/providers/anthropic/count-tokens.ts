import type { TokenCounting, UpstreamTarget } from "../../call/provider.ts";
import { traitsOf } from "./model-traits.ts";
import { type Message, toPrompt } from "./to-prompt.ts";
import { toTools } from "./to-tools.ts";
import type { Block, Tool } from "./wire.ts";

/** Requests token counts from the provider. */
export const messagesTokenCounting: TokenCounting = {
  buildRequest: (body, target) => ({
    path: `${target.prepared.path?.prefix ?? "/v1"}/messages/count_tokens`,
    headers: target.prepared.headers,
    body: Buffer.from(JSON.stringify(toCountBody(body, target)), "utf8"),
  }),
  buildMessageRequest: (body, target) => ({
    path: `${target.prepared.path?.prefix ?? "/v1"}/messages/count_tokens`,
    headers: target.prepared.headers,
    body: Buffer.from(JSON.stringify(countedFields(body, target)), "utf8"),
  }),
  readCount: (text) => {
    const { input_tokens: tokens } = parse(text);
    return typeof tokens === "number" && Number.isInteger(tokens) && tokens >= 0 ? tokens : null;
  },
};

/** Converts the body of a token counter request, which is in the chat format or already in the Anthropic format. */
export function toCountBody(
  body: Readonly<Record<string, unknown>>,
  { upstreamModel }: UpstreamTarget,
): Record<string, unknown> {
  const spoken = objectsOf(body.messages) as Message[];
  const asked = typeof body.prompt === "string" ? [...spoken, { role: "user", content: body.prompt }] : spoken;
  const { system, messages } = isOfDialect(asked) ? { system: [], messages: asked } : toPrompt(asked);
  const instructed = [...blocksOf(body.system), ...system];
  const tools = objectsOf(body.tools).map((tool) => toCountedTool(tool, upstreamModel));
  return {
    model: upstreamModel,
    ...(instructed.length > 0 && { system: instructed }),
    messages,
    ...(tools.length > 0 && { tools }),
  };
}

/** Message fields that a count request accepts. The provider would reject fields that affect only the response. */
const counted = ["messages", "system", "tools", "tool_choice", "thinking", "output_config", "cache_control"];

function countedFields(body: Readonly<Record<string, unknown>>, { upstreamModel }: UpstreamTarget): object {
  const given = counted.filter((name) => body[name] != null).map((name) => [name, body[name]] as const);
  return { model: upstreamModel, ...Object.fromEntries(given) };
}

const ownTypes = new Set(["image", "document", "tool_use", "tool_result", "thinking", "redacted_thinking"]);

/** Reports whether messages contain parts that only the Anthropic format has. */
function isOfDialect(messages: readonly Message[]): boolean {
  return messages.some(({ content }) => objectsOf(content).some(({ type }) => ownTypes.has(String(type))));
}

function toCountedTool(tool: Readonly<Record<string, unknown>>, model: string): unknown {
  if (tool.function === undefined) return tool;
  const [translated] = toTools({ tools: [tool] as never }, traitsOf(model).writesBySchema).tools;
  return translated as Tool;
}

function blocksOf(system: unknown): readonly Block[] {
  if (typeof system === "string") return system === "" ? [] : [{ type: "text", text: system }];
  return objectsOf(system) as unknown as readonly Block[];
}

function objectsOf(value: unknown): Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.filter((item) => typeof item === "object" && item !== null) : [];
}

function parse(text: string): { readonly input_tokens?: unknown } {
  try {
    return (JSON.parse(text) as { readonly input_tokens?: unknown } | null) ?? {};
  } catch {
    return {};
  }
}
