import type { ChatRequest } from "@tollgate/contracts/chat/chat-request.ts";
import { Failure, ValidationFailure } from "@tollgate/contracts/failures.ts";
import type { Problem } from "@tollgate/contracts/validation/list-problems.ts";

const baseTiers = new Set(["auto", "default"]);

/**
 * Checks chat request rules that a schema can't express. Strings are bytes here, so compare them but never display
 * them.
 */
export function checkChatRequest(request: ChatRequest): void {
  if (request.top_logprobs != null && request.logprobs !== true) {
    throw new Failure("invalid_request", "'top_logprobs' requires 'logprobs: true'.", { param: "top_logprobs" });
  }
  if (request.stream_options != null && request.stream !== true) {
    throw new Failure("invalid_request", "'stream_options' requires 'stream: true'.", { param: "stream_options" });
  }
  if (request.service_tier != null && !baseTiers.has(request.service_tier)) {
    throw new Failure("unsupported_parameter", "Only the service tiers 'auto' and 'default' are supported.", {
      param: "service_tier",
      fix: "Send one of these or omit 'service_tier'.",
    });
  }
  checkMessages(request.messages);
}

/**
 * Checks that assistant messages have content, and that tool messages answer a tool call in the nearest preceding
 * assistant message.
 */
function checkMessages(messages: ChatRequest["messages"]): void {
  let openCalls: ReadonlySet<string> | null = null;
  for (let index = 0; index < messages.length; index += 1) {
    const message = messages[index] as ChatRequest["messages"][number];
    if (message.role === "assistant") {
      if (saysNothing(message)) throw new ValidationFailure([missingContent(index)]);
      const calls = message.tool_calls;
      openCalls = calls == null || calls.length === 0 ? null : new Set(calls.map((call) => call.id));
    } else if (message.role === "tool" && !openCalls?.has(message.tool_call_id)) {
      throw new Failure(
        "invalid_request",
        "A tool message must answer a tool call in the preceding assistant message.",
        {
          param: `messages.${index}.tool_call_id`,
        },
      );
    }
  }
}

function saysNothing(message: Extract<ChatRequest["messages"][number], { role: "assistant" }>): boolean {
  return (
    message.content == null &&
    message.tool_calls == null &&
    message.function_call == null &&
    message.refusal == null &&
    message.audio == null
  );
}

function missingContent(index: number): Problem {
  return { loc: ["body", "messages", index, "content"], msg: "Field required", type: "missing" };
}
