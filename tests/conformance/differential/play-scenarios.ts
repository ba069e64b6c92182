import { DONE_FRAME, sseFrame } from "@tollgate/testkit/chat-answers.ts";
import { type Behavior, reply, streamFrames, trickle } from "@tollgate/testkit/upstream-behaviors.ts";
import type { Delivery, Scenario, ScriptedAnswer } from "./scenario.ts";
import { scenarios } from "./scenarios.ts";

const BYTES_PER_WRITE = 31;
const WORD_PAUSE_MS = 20;

/** Returns the message prefix that selects a scenario. */
export const askFor = (name: string) => `scenario: ${name}`;

/** A stream that lasts until the client disconnects. */
export const ENDLESS = askFor("endless");

interface ChatRequest {
  readonly messages?: readonly { readonly content?: unknown }[];
  readonly stream?: boolean;
  readonly stream_options?: { readonly include_usage?: boolean } | null;
}

const byQuestion = new Map(scenarios.map((scenario) => [askFor(scenario.name), scenario]));

/** Responds to a chat request with the scenario named in its first message, and to everything else with plain text. */
export const playScenarios: Behavior = (exchange) => {
  const request = exchange.request.json() as ChatRequest;
  const question = request.messages?.[0]?.content;
  if (question === ENDLESS) return streamFrames(endlessFrames(), { delayMs: WORD_PAUSE_MS })(exchange);
  const scenario = byQuestion.get(String(question)) ?? (scenarios[0] as Scenario);
  return behaviorOf(scenario.answer, request)(exchange);
};

function behaviorOf(answer: ScriptedAnswer, request: ChatRequest): Behavior {
  switch (answer.kind) {
    case "refusal":
      return reply(answer.status, { error: answer.error });
    case "error frame": {
      if (request.stream !== true) return reply(500, { error: answer.error });
      return streamFrames([...writeFrames(answer.frames, null, "plain"), sseFrame({ error: answer.error })]);
    }
    case "completion": {
      if (request.stream === true) return streamed(answer, request.stream_options?.include_usage === true);
      const body = write(
        { ...head, object: "chat.completion", choices: answer.choices, usage: answer.usage },
        answer.delivery,
      );
      return answer.delivery === "trickled"
        ? trickle(body, { bytesPerWrite: BYTES_PER_WRITE, delayMs: 0 })
        : reply(200, body);
    }
  }
}

function streamed(answer: Extract<ScriptedAnswer, { kind: "completion" }>, includeUsage: boolean): Behavior {
  const frames = [...writeFrames(answer.frames, includeUsage ? answer.usage : null, answer.delivery), DONE_FRAME];
  switch (answer.delivery) {
    case "trickled": {
      const headers = { "content-type": "text/event-stream" };
      return trickle(frames.join(""), { bytesPerWrite: BYTES_PER_WRITE, delayMs: 0, headers });
    }
    case "carriage returns":
      return streamFrames(frames.flatMap((frame) => [": still here\r\n\r\n", frame.replaceAll("\n", "\r\n")]));
    default:
      return streamFrames(frames);
  }
}

const head = {
  id: "chatcmpl-scripted",
  created: 1_767_225_600,
  model: "scripted-upstream",
  service_tier: "default",
  system_fingerprint: "fp_scripted",
};

function writeFrames(frames: readonly (readonly object[])[], usage: object | null, delivery: Delivery): string[] {
  const frame = (choices: readonly object[], counted: object | null) => {
    const chunk = { ...head, object: "chat.completion.chunk", choices, ...(usage !== null && { usage: counted }) };
    return `data: ${write(chunk, delivery)}\n\n`;
  };
  return [...frames.map((choices) => frame(choices, null)), ...(usage === null ? [] : [frame([], usage)])];
}

function write(value: unknown, delivery: Delivery): string {
  const text = JSON.stringify(value);
  if (delivery !== "escaped") return text;
  return text.replaceAll(/[^\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`);
}

function endlessFrames(): string[] {
  const word = {
    ...head,
    object: "chat.completion.chunk",
    choices: [{ index: 0, delta: { content: "on " }, finish_reason: null }],
  };
  return Array.from({ length: 10_000 }, () => sseFrame(word));
}
