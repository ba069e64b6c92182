import { Failure } from "@tollgate/contracts/failures.ts";
import { requestedTier } from "../../operations/requested-facts.ts";
import type { Block, Tool, ToolChoice, Turn } from "../anthropic/wire.ts";
import type { BedrockTraits } from "./bedrock-traits.ts";
import { toConverseBlocks } from "./converse-blocks.ts";
import { type ConverseBlock, type ConverseRequest, cachePointOf } from "./converse-wire.ts";

/** Members of a Messages API request that map to Converse fields or that Converse doesn't use. */
const placed: ReadonlySet<string> = new Set([
  "model",
  "stream",
  "metadata",
  "service_tier",
  "messages",
  "system",
  "tools",
  "tool_choice",
  "max_tokens",
  "temperature",
  "top_p",
  "stop_sequences",
]);

/**
 * Converts a Messages API request to a Converse request. Members without a Converse field are sent as model-specific
 * fields.
 */
export function toConverse(body: Readonly<Record<string, unknown>>, traits: BedrockTraits): ConverseRequest {
  const { system, messages, tools, tool_choice: choice } = body as unknown as MessagesRequest;
  const { max_tokens: maxTokens, temperature, top_p: topP, stop_sequences: stopSequences } = body;
  const tier = requestedTier(body);
  const toolConfig = toToolConfig(tools ?? [], choice ?? null, messages, traits);
  const own = ownFields(body, choice ?? null, traits);
  const inferenceConfig = {
    ...(maxTokens != null && { maxTokens }),
    ...(temperature != null && { temperature }),
    ...(topP != null && { topP }),
    ...(stopSequences != null && { stopSequences }),
  };
  return {
    messages: messages.map(({ role, content }) => ({
      role,
      content: toConverseBlocks(blocksOf(content), traits.keepsPrompts),
    })),
    ...(system != null && system.length > 0 && { system: toConverseBlocks(blocksOf(system), traits.keepsPrompts) }),
    ...(toolConfig !== null && { toolConfig }),
    ...(Object.keys(inferenceConfig).length > 0 && { inferenceConfig }),
    ...(tier !== null && { serviceTier: { type: tier } }),
    ...(Object.keys(own).length > 0 && { additionalModelRequestFields: own }),
  };
}

interface MessagesRequest {
  readonly system?: string | readonly Block[];
  readonly messages: readonly (Omit<Turn, "content"> & { readonly content: string | readonly Block[] })[];
  readonly tools?: readonly Tool[];
  readonly tool_choice?: ToolChoice | null;
}

function blocksOf(content: string | readonly Block[]): readonly Block[] {
  return typeof content === "string" ? [{ type: "text", text: content }] : content;
}

/**
 * Returns model-specific fields. Only Anthropic models can disable parallel tool use, and only through these fields.
 */
function ownFields(
  body: Readonly<Record<string, unknown>>,
  choice: ToolChoice | null,
  { isClaude }: BedrockTraits,
): Record<string, unknown> {
  const others = Object.entries(body).filter(([name, value]) => !placed.has(name) && value != null);
  const isSequential = isClaude && choice?.disable_parallel_tool_use === true;
  return { ...Object.fromEntries(others), ...(isSequential && { tool_choice: choice }) };
}

function toToolConfig(
  tools: readonly Tool[],
  choice: ToolChoice | null,
  messages: MessagesRequest["messages"],
  traits: BedrockTraits,
): ConverseRequest["toolConfig"] | null {
  const used = usedTools(messages);
  // Converse can't forbid tool use, so the tools are omitted, unless the conversation contains tool calls.
  const isForbidden = choice?.type === "none";
  const offered = isForbidden && used.length === 0 ? [] : tools;
  const specs = (offered.length > 0 ? offered : used).flatMap((tool) => toToolSpec(tool, traits.keepsPrompts));
  if (specs.length === 0) return null;
  const isSaidApart = traits.isClaude && choice?.disable_parallel_tool_use === true;
  const toolChoice = isSaidApart || offered.length === 0 ? null : toToolChoice(choice);
  return { tools: specs, ...(toolChoice !== null && { toolChoice }) };
}

/**
 * Returns the tools that the conversation uses. The provider rejects a conversation with tool calls if the tools aren't
 * defined.
 */
function usedTools(messages: MessagesRequest["messages"]): readonly Tool[] {
  const names = new Set<string>();
  for (const { content } of messages) {
    for (const block of blocksOf(content)) if (block.type === "tool_use") names.add(String(block.name));
  }
  return [...names].map((name) => ({ name, input_schema: { type: "object" } }));
}

function toToolSpec(tool: Tool, keepsPrompts: boolean): readonly ConverseBlock[] {
  const { name, description, input_schema: json, cache_control: mark } = tool;
  if (json === undefined) {
    throw new Failure("unsupported_tool", "This model supports only tools with JSON arguments.", { param: "tools" });
  }
  const isDescribed = description !== undefined && description.trim() !== "";
  const spec = { toolSpec: { name, ...(isDescribed && { description }), inputSchema: { json } } };
  return mark == null || !keepsPrompts ? [spec] : [spec, cachePointOf(mark)];
}

function toToolChoice(choice: ToolChoice | null): object | null {
  if (choice === null || choice.type === "none") return null;
  return choice.type === "tool" ? { tool: { name: choice.name } } : { [choice.type]: {} };
}
