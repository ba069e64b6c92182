import type { CreateRunRequest, CreateThreadAndRunRequest } from "@tollgate/contracts/assistants/run-object.ts";
import { Failure } from "@tollgate/contracts/failures.ts";
import type { Assistant, Json, RunFields, Tool } from "@tollgate/domain/assistants/records.ts";
import { readTools } from "./read-tools.ts";

const MAX_TOOLS = 20;

type RunRequest = CreateThreadAndRunRequest & Pick<CreateRunRequest, "additional_instructions">;

/**
 * Returns a run's effective fields: the requested values, with the assistant's settings as defaults. Throws if a field
 * is invalid.
 */
export function effectiveRun({ fields: assistant }: Assistant, asked: RunRequest): RunFields {
  const tools = readTools(asked.tools ?? (assistant.tools as NonNullable<RunRequest["tools"]>));
  if (tools.length > MAX_TOOLS) {
    throw new Failure(
      "invalid_request",
      `A run can have at most ${MAX_TOOLS} tools, but its assistant has ${tools.length}.`,
      {
        param: "tools",
        fix: "List the tools for this run in `tools`.",
      },
    );
  }
  const toolChoice = (asked.tool_choice ?? "auto") as Json;
  checkToolChoice(toolChoice, tools);
  return {
    model: asked.model ?? assistant.model,
    instructions: joinInstructions(asked.instructions ?? assistant.instructions, asked.additional_instructions),
    tools,
    metadata: asked.metadata ?? {},
    temperature: asked.temperature ?? assistant.temperature,
    top_p: asked.top_p ?? assistant.top_p,
    max_prompt_tokens: asked.max_prompt_tokens ?? null,
    max_completion_tokens: asked.max_completion_tokens ?? null,
    truncation_strategy: truncationOf(asked),
    tool_choice: toolChoice,
    parallel_tool_calls: asked.parallel_tool_calls ?? true,
    response_format: (asked.response_format ?? assistant.response_format) as Json,
    reasoning_effort: asked.reasoning_effort ?? assistant.reasoning_effort,
    required: null,
    lastError: null,
    incompleteReason: null,
  };
}

function joinInstructions(instructions: string | null, additional: string | null | undefined): string {
  return [instructions, additional].filter((text) => text != null && text !== "").join("\n\n");
}

function truncationOf({ truncation_strategy: asked }: RunRequest): RunFields["truncation_strategy"] {
  const type = asked?.type ?? "auto";
  const lastMessages = asked?.last_messages ?? null;
  if (type === "last_messages" && lastMessages === null) {
    throw new Failure(
      "invalid_request",
      "The truncation strategy 'last_messages' requires a number in `last_messages`.",
      {
        param: "truncation_strategy.last_messages",
      },
    );
  }
  return { type, last_messages: type === "auto" ? null : lastMessages };
}

/** Rejects a tool choice that matches none of the run's tools, because the model call would fail later. */
function checkToolChoice(choice: Json, tools: readonly Tool[]): void {
  if (choice === "none" || choice === "auto") return;
  if (choice === "required") {
    if (tools.length === 0) throw badChoice("`tool_choice` requires a tool, but the run has no tools.");
    return;
  }
  const { type, function: named } = choice as { type?: Json; function?: { name?: Json } };
  if (type !== "function") {
    throw new Failure("unsupported_tool", "`tool_choice` can only name a function.", { param: "tool_choice" });
  }
  if (!tools.some((tool) => tool.type === "function" && tool.function.name === named?.name)) {
    throw badChoice("`tool_choice` names a function that is not in the run's tools.");
  }
}

function badChoice(message: string): Failure {
  return new Failure("invalid_request", message, { param: "tool_choice" });
}
