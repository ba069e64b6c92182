import type { ChatRequest } from "@tollgate/sdk/gateway";
import { parseJson } from "../../format/parse-json.ts";
import { type ChatParameters, numberParameters } from "./chat-parameters.ts";
import type { Turn } from "./chat-state.ts";

interface ChatBodyParts {
  readonly model: string;
  readonly parameters: ChatParameters;
  /** The conversation; the last turn is the current question. */
  readonly turns: readonly Turn[];
  /** Parameters that the model supports. If they are unknown (null), all parameters are sent. */
  readonly supported: readonly string[] | null;
}

/** Builds the request body from the parameters that are set and supported. */
export function chatBody({ model, parameters, turns, supported }: ChatBodyParts): ChatRequest {
  const takes = (name: string) => supported === null || supported.includes(name);
  const body: Record<string, unknown> = { model, messages: messagesOf(parameters.system, turns) };
  for (const { name } of numberParameters) {
    if (parameters[name].trim() === "" || !takes(lengthName(name, takes))) continue;
    body[lengthName(name, takes)] = Number(parameters[name]);
  }
  if (parameters.reasoning_effort !== "" && takes("reasoning_effort")) {
    body.reasoning_effort = parameters.reasoning_effort;
  }
  if (parameters.stop.trim() !== "" && takes("stop"))
    body.stop = parameters.stop.split("\n").filter((line) => line !== "");
  if (parameters.response_format !== "" && takes("response_format")) body.response_format = formatOf(parameters);
  if (parameters.tools.trim() !== "" && takes("tools")) body.tools = parseJson(parameters.tools);
  if (parameters.stream === "true" && takes("stream")) {
    body.stream = true;
    if (takes("stream_options")) body.stream_options = { include_usage: true };
  }
  return body as ChatRequest;
}

/** Returns the parameter's name for this model. Older models support only `max_tokens`. */
function lengthName(name: string, takes: (name: string) => boolean): string {
  return name === "max_completion_tokens" && !takes(name) && takes("max_tokens") ? "max_tokens" : name;
}

function formatOf({ response_format, schema }: ChatParameters): unknown {
  return response_format === "json_schema"
    ? { type: "json_schema", json_schema: { name: "answer", strict: true, schema: parseJson(schema) } }
    : { type: response_format };
}

function messagesOf(system: string, turns: readonly Turn[]): readonly unknown[] {
  return [
    ...(system.trim() === "" ? [] : [{ role: "system", content: system }]),
    ...turns.flatMap((turn, index) => [
      { role: "user", content: contentOf(turn) },
      ...(index === turns.length - 1 ? [] : answerOf(turn)),
    ]),
  ];
}

function contentOf({ text, images }: Turn): unknown {
  if (images.length === 0) return text;
  return [{ type: "text", text }, ...images.map((url) => ({ type: "image_url", image_url: { url } }))];
}

/** Returns the messages of an earlier response. Tool calls get an empty result because tools aren't run here. */
function answerOf({ answer }: Turn): readonly unknown[] {
  if (answer === null || (answer.text === "" && answer.toolCalls.length === 0)) return [];
  if (answer.toolCalls.length === 0) return [{ role: "assistant", content: answer.text }];
  return [
    {
      role: "assistant",
      content: answer.text === "" ? null : answer.text,
      tool_calls: answer.toolCalls.map(({ id, name, arguments: given }) => ({
        id,
        type: "function",
        function: { name, arguments: given },
      })),
    },
    ...answer.toolCalls.map(({ id }) => ({ role: "tool", tool_call_id: id, content: "" })),
  ];
}
