import type { CallOptions } from "./model-v4.ts";
import { toPrompt, UnsupportedRequest, type WireChatMessage } from "./to-prompt.ts";

interface AskedTool {
  readonly type?: unknown;
  readonly function?: {
    readonly name: string;
    readonly description?: string | null;
    readonly parameters?: object | null;
    readonly strict?: boolean | null;
  };
}

/** A chat request in the form sent to upstreams that use the chat completions format. */
export interface WireChatRequest extends Readonly<Record<string, unknown>> {
  readonly model: string;
  readonly messages: readonly WireChatMessage[];
  readonly stream?: boolean | null;
  readonly max_tokens?: number | null;
  readonly temperature?: number | null;
  readonly top_p?: number | null;
  readonly top_k?: number | null;
  readonly presence_penalty?: number | null;
  readonly frequency_penalty?: number | null;
  readonly seed?: number | null;
  readonly stop?: string | readonly string[] | null;
  readonly reasoning_effort?: string | null;
  readonly response_format?: {
    readonly type?: unknown;
    readonly json_schema?: {
      readonly name?: string;
      readonly description?: string | null;
      readonly schema?: object | null;
    };
  } | null;
  readonly tools?: readonly AskedTool[] | null;
  readonly tool_choice?: string | { readonly type: string; readonly function?: { readonly name?: string } } | null;
}

/** Fields that map to options of the package interface. All other fields are passed to the package unchanged. */
const readFields: ReadonlySet<string> = new Set([
  "model",
  "messages",
  "stream",
  "stream_options",
  "max_tokens",
  "temperature",
  "top_p",
  "top_k",
  "presence_penalty",
  "frequency_penalty",
  "seed",
  "stop",
  "reasoning_effort",
  "response_format",
  "tools",
  "tool_choice",
  "user",
]);

/**
 * Converts the request to the package interface's options. `provider` is the model's provider name, such as `xai.chat`.
 */
export function toCallOptions(
  asked: WireChatRequest,
  provider: string,
  headers: Readonly<Record<string, string>>,
  abortSignal: AbortSignal,
): CallOptions {
  const { stop } = asked;
  const extras = Object.entries(asked).filter(([name, value]) => !readFields.has(name) && value !== null);
  return {
    prompt: toPrompt(asked.messages),
    headers,
    abortSignal,
    ...(asked.max_tokens != null && { maxOutputTokens: asked.max_tokens }),
    ...(asked.temperature != null && { temperature: asked.temperature }),
    ...(asked.top_p != null && { topP: asked.top_p }),
    ...(asked.top_k != null && { topK: asked.top_k }),
    ...(asked.presence_penalty != null && { presencePenalty: asked.presence_penalty }),
    ...(asked.frequency_penalty != null && { frequencyPenalty: asked.frequency_penalty }),
    ...(asked.seed != null && { seed: asked.seed }),
    ...(stop != null && { stopSequences: typeof stop === "string" ? [stop] : stop }),
    ...(asked.reasoning_effort != null && { reasoning: asked.reasoning_effort }),
    ...formatOf(asked.response_format),
    ...toolsOf(asked),
    ...(extras.length > 0 && { providerOptions: { [provider.split(".")[0] as string]: Object.fromEntries(extras) } }),
  };
}

function formatOf(format: WireChatRequest["response_format"]): Pick<CallOptions, "responseFormat"> {
  if (format == null || format.type === "text") return {};
  if (format.type !== "json_object" && format.type !== "json_schema") {
    throw new UnsupportedRequest(`the response format '${String(format.type)}'`);
  }
  const { schema, name, description } = format.json_schema ?? {};
  return {
    responseFormat: {
      type: "json",
      ...(schema != null && { schema }),
      ...(name !== undefined && { name }),
      ...(description != null && { description }),
    },
  };
}

function toolsOf({ tools, tool_choice: choice }: WireChatRequest): Pick<CallOptions, "tools" | "toolChoice"> {
  const functions = (tools ?? []).map((tool) => {
    if (tool.function === undefined) throw new UnsupportedRequest(`tools of type '${String(tool.type)}'`);
    return tool.function;
  });
  if (functions.length === 0) return {};
  return {
    tools: functions.map(({ name, description, parameters, strict }) => ({
      type: "function",
      name,
      inputSchema: parameters ?? { type: "object", properties: {} },
      ...(description != null && { description }),
      ...(strict != null && { strict }),
    })),
    ...(choice != null && { toolChoice: choiceOf(choice) }),
  };
}

function choiceOf(choice: NonNullable<WireChatRequest["tool_choice"]>): object {
  if (typeof choice === "string") return { type: choice === "any" ? "required" : choice };
  const name = choice.function?.name;
  return name === undefined ? { type: "auto" } : { type: "tool", toolName: name };
}
