import type { ContentPart, FunctionTool, Json, JsonFields, Message, RunFields, Step, TurnUsage } from "./records.ts";
import { estimateTokens, truncateHistory } from "./truncate.ts";

export interface TurnParts {
  readonly fields: RunFields;
  /** Thread messages, oldest first. */
  readonly history: readonly Message[];
  /** Number of thread messages to send after the model rejected the full thread as too long; null for all. */
  readonly most: number | null;
  /** Steps of this run so far, oldest first. */
  readonly steps: readonly Step[];
  /** Tokens used by this run's calls so far. */
  readonly used: TurnUsage;
  readonly isStreamed: boolean;
}

export type BuiltTurn =
  /** `shown` is the part of the thread included in the request. */
  | { readonly kind: "ready"; readonly body: JsonFields; readonly shown: readonly Message[] }
  /** A token limit was reached. */
  | { readonly kind: "run_out"; readonly reason: "max_completion_tokens" | "max_prompt_tokens" };

/** Builds a run's next call as a chat completions request. */
export function buildTurn({ fields, history, most, steps, used, isStreamed }: TurnParts): BuiltTurn {
  const completionRoom = roomLeft(fields.max_completion_tokens, used.completionTokens);
  if (completionRoom !== null && completionRoom <= 0) return { kind: "run_out", reason: "max_completion_tokens" };
  const promptRoom = roomLeft(fields.max_prompt_tokens, used.promptTokens);
  const written = new Set(
    steps.flatMap(({ fields: { details } }) => ("messageId" in details ? details.messageId : [])),
  );
  const spoken = new Map(history.filter(({ id }) => written.has(id)).map((message) => [message.id, message]));
  const before = history.filter(({ id }) => !written.has(id)).slice(most === null ? 0 : -most);
  const done = describeSteps(steps, spoken);
  const system: JsonFields[] = fields.instructions === "" ? [] : [{ role: "system", content: fields.instructions }];
  const tools = fields.tools.filter((tool) => tool.type === "function").map(describeTool);
  // Reserve space for the parts that can't be dropped. The thread gets the remaining tokens.
  const fixed = estimateTokens(JSON.stringify([system, done, tools]));
  if (promptRoom !== null && promptRoom < fixed) return { kind: "run_out", reason: "max_prompt_tokens" };
  const shown = truncateHistory(before, fields.truncation_strategy, promptRoom === null ? null : promptRoom - fixed);
  const body: JsonFields = {
    model: fields.model,
    messages: [...system, ...shown.flatMap(describeMessage), ...done],
    ...(tools.length > 0 && { tools, ...describeChoice(fields, steps) }),
    ...sampling(fields),
    ...(fields.response_format !== "auto" &&
      fields.response_format !== null && {
        response_format: fields.response_format,
      }),
    ...(completionRoom !== null && { max_completion_tokens: completionRoom }),
    ...(isStreamed && { stream: true, stream_options: { include_usage: true } }),
  };
  return { kind: "ready", body, shown };
}

function roomLeft(limit: number | null, used: number): number | null {
  return limit === null ? null : limit - used;
}

function describeTool({ type, function: { name, description, parameters, strict } }: FunctionTool): JsonFields {
  return {
    type,
    function: {
      name,
      ...(description != null && { description }),
      ...(parameters != null && { parameters }),
      ...(strict != null && { strict }),
    },
  };
}

/**
 * Describes the tool choice. A forced call applies only to the first turn, because otherwise the run would never end.
 */
function describeChoice({ tool_choice: choice, parallel_tool_calls }: RunFields, steps: readonly Step[]): JsonFields {
  const isForced = choice !== null && choice !== "auto" && choice !== "none";
  const isOver = isForced && steps.some(({ fields }) => fields.details.type === "tool_calls");
  return {
    ...(choice !== null && choice !== "auto" && !isOver && { tool_choice: choice }),
    // Send only values that differ from the default, because not every model supports the field.
    ...(!parallel_tool_calls && { parallel_tool_calls: false }),
  };
}

/**
 * Describes the sampling parameters. Omits the default of 1, because some models reject requests that set both
 * temperature and top_p.
 */
function sampling({ temperature, top_p, reasoning_effort }: RunFields): JsonFields {
  return {
    ...(temperature !== null && temperature !== 1 && { temperature }),
    ...(top_p !== null && top_p !== 1 && { top_p }),
    ...(reasoning_effort !== null && { reasoning_effort }),
  };
}

function describeMessage({ fields: { role, content } }: Message): readonly JsonFields[] {
  if (role === "assistant") {
    const text = textOf(content);
    return text === "" ? [] : [{ role, content: text }];
  }
  const [only] = content;
  if (content.length === 1 && only?.type === "text") return [{ role, content: only.text.value }];
  return [{ role, content: content.map(describePart) }];
}

function describePart(part: ContentPart): JsonFields {
  switch (part.type) {
    case "text":
      return { type: "text", text: part.text.value };
    case "image_url":
      return { type: "image_url", image_url: { ...part.image_url } };
    case "image_file":
      return { type: "file", file: { file_id: part.image_file.file_id } };
    case "refusal":
      return { type: "text", text: part.refusal };
  }
}

function textOf(content: readonly ContentPart[]): string {
  return content
    .flatMap((part) => (part.type === "text" ? part.text.value : part.type === "refusal" ? part.refusal : []))
    .join("\n");
}

/** Converts the run's steps to messages. Text that came with tool calls stays in the same message as the calls. */
function describeSteps(steps: readonly Step[], spoken: ReadonlyMap<string, Message>): readonly JsonFields[] {
  const messages: JsonFields[] = [];
  let words: string | null = null;
  for (const { fields } of steps) {
    const { details } = fields;
    if (details.type === "message_creation") {
      const message = spoken.get(details.messageId);
      words = message === undefined ? null : textOf(message.fields.content);
      continue;
    }
    // Providers reject tool calls without outputs.
    if (fields.status !== "completed") continue;
    const calls: Json[] = details.calls.map(({ id, type, function: called, extra }) => ({
      id,
      type,
      function: { name: called.name, arguments: called.arguments },
      ...(extra !== undefined && { extra_content: extra }),
    }));
    messages.push({
      role: "assistant",
      content: words === "" ? null : words,
      tool_calls: calls,
      ...(details.thoughts !== undefined && { thinking_blocks: details.thoughts }),
    });
    for (const { id, output } of details.calls)
      messages.push({ role: "tool", tool_call_id: id, content: output ?? "" });
    words = null;
  }
  return messages;
}
