import { streamFrames } from "../upstream-behaviors.ts";
import type { HostileBehavior, Outcome } from "./hostile-behavior.ts";
import { anthropicEvent, geminiAnswer, USUAL, type Wire } from "./wires.ts";

const block = (content_block: object, index = 0) =>
  anthropicEvent({ type: "content_block_start", index, content_block });
const delta = (piece: object, index = 0) => anthropicEvent({ type: "content_block_delta", index, delta: piece });
const frame = (parts: unknown, more: object = {}) => `data: ${geminiAnswer(parts, more, null)}\r\n\r\n`;

/** Events whose order or contents are invalid in their API format. */
export const orderBehaviors: readonly HostileBehavior[] = [
  ...(
    [
      ["words before the message", "refused", ([, , ...rest]) => rest],
      ["the end before the message", "decent", (frames) => [...frames].reverse()],
      ["two messages at once", "decent", (frames) => frames.flatMap((each) => [each, each])],
      [
        "the message once more in the middle",
        "decent",
        ([first = "", ...rest]) => [first, ...rest.slice(0, 2), first, ...rest.slice(2)],
      ],
      ["blocks that were never opened", "decent", (frames) => frames.filter((each) => !each.includes("block_start"))],
      ["blocks that never close", "decent", (frames) => frames.filter((each) => !each.includes("block_stop"))],
      ["no word on why it ends", "decent", (frames) => frames.filter((each) => !each.includes("message_delta"))],
      ["a block of no kind", "decent", (frames) => frames.map((each) => each.replace('"type":"text"', '"type":null'))],
      ["a piece of no kind", "decent", (frames) => frames.map((each) => each.replace('"text_delta"', "{}"))],
      [
        "text that is a number",
        "decent",
        (frames) => frames.map((each) => each.replace(/"text":"[^"]*"\}/, '"text":5}')),
      ],
      [
        "arguments in a text",
        "decent",
        (frames) => [...frames.slice(0, 2), delta({ type: "input_json_delta", partial_json: "{" }), ...frames.slice(2)],
      ],
      [
        "a call without a name",
        "decent",
        (frames) => [
          ...frames.slice(0, 2),
          block({ type: "tool_use" }, 1),
          delta({ type: "input_json_delta", partial_json: 5 }, 1),
          ...frames.slice(2),
        ],
      ],
      [
        "a signature of nothing",
        "decent",
        (frames) => [...frames.slice(0, 2), delta({ type: "signature_delta", signature: {} }), ...frames.slice(2)],
      ],
      [
        "a thought that is a list",
        "decent",
        (frames) => [
          ...frames.slice(0, 1),
          block({ type: "thinking", thinking: [] }),
          delta({ type: "thinking_delta", thinking: [] }),
          ...frames.slice(1),
        ],
      ],
      [
        "signs of life without end",
        "sound",
        (frames) => frames.flatMap((each) => [anthropicEvent({ type: "ping" }).repeat(1_000), each]),
      ],
      [
        "unknown events",
        "sound",
        (frames) => frames.flatMap((each) => [anthropicEvent({ type: "news", value: [1] }), each]),
      ],
      ["names that do not match", "sound", (frames) => frames.map((each) => each.replace(/event: .*/, "event: other"))],
      ["a failure without words", "decent", (frames) => [...frames.slice(0, 3), anthropicEvent({ type: "error" })]],
      [
        "a failure of the wrong shape",
        "decent",
        (frames) => [...frames.slice(0, 3), anthropicEvent({ type: "error", error: [5] })],
      ],
      [
        "a message that is null",
        "decent",
        ([, ...rest]) => [anthropicEvent({ type: "message_start", message: null }), ...rest],
      ],
      ["an unknown reason", "sound", (frames) => frames.map((each) => each.replace("end_turn", "tired"))],
      ["a reason that is an object", "decent", (frames) => frames.map((each) => each.replace('"end_turn"', '{"a":1}'))],
    ] as readonly Reordering[]
  ).map((each) => ordered("anthropic", each)),
  ...(
    [
      ["nothing to choose from", "decent", () => ['data: {"candidates":[]}\r\n\r\n']],
      ["a prompt that is blocked", "refused", () => ['data: {"promptFeedback":{"blockReason":"SAFETY"}}\r\n\r\n']],
      [
        "a prompt that is blocked midway",
        "decent",
        ([first = ""]) => [first, 'data: {"promptFeedback":{"blockReason":5}}\r\n\r\n'],
      ],
      [
        "no word on why it ends",
        "broken",
        (frames) =>
          frames.map((each) => each.replace('"finishReason":"STOP",', "").replace(',"finishReason":"STOP"', "")),
      ],
      [
        "many words on why it ends",
        "sound",
        (frames) =>
          frames.flatMap((each) => (each.includes("STOP") ? [each, frame([], { finishReason: "STOP" })] : [each])),
      ],
      ["an unknown reason", "sound", (frames) => frames.map((each) => each.replace('"STOP"', '"TIRED"'))],
      ["a reason that is a number", "decent", (frames) => frames.map((each) => each.replace('"STOP"', "5"))],
      ["a broken call as its reason", "decent", () => [frame([], { finishReason: "MALFORMED_FUNCTION_CALL" })]],
      ["parts that are null", "decent", (frames) => [frame(null), ...frames]],
      ["parts that are a text", "decent", (frames) => [frame("parts"), ...frames]],
      ["parts of null", "decent", (frames) => [frame([null]), ...frames]],
      ["text that is a number", "decent", (frames) => [frame([{ text: 5 }]), ...frames]],
      [
        "a call without a name",
        "decent",
        (frames) => [frame([{ functionCall: {} }, { functionCall: null }]), ...frames],
      ],
      [
        "a call of strange things",
        "decent",
        (frames) => [frame([{ functionCall: { name: [], args: 5, id: {} } }]), ...frames],
      ],
      [
        "a picture of nothing",
        "decent",
        (frames) => [frame([{ inlineData: { mimeType: 5, data: {} } }, { inlineData: null }]), ...frames],
      ],
      ["content that is a text", "decent", (frames) => [frame([], { content: "sound" }), ...frames]],
      [
        "sources of nothing",
        "decent",
        (frames) => [
          frame([{ text: "x" }], { groundingMetadata: { groundingChunks: 5, groundingSupports: [null] } }),
          ...frames,
        ],
      ],
      [
        "odds of nothing",
        "decent",
        (frames) => [
          frame([{ text: "x" }], { logprobsResult: { chosenCandidates: [null], topCandidates: 5 } }),
          ...frames,
        ],
      ],
      [
        "a list instead of frames",
        "decent",
        (frames) => [`[${frames.map((each) => each.slice("data: ".length).trim()).join(",")}]`],
      ],
      [
        "choices that come and go",
        "decent",
        (frames) => [...Array.from({ length: 1_000 }, (_, index) => frame([{ text: "x" }], { index })), ...frames],
      ],
      [
        "a failure in the middle",
        "broken",
        ([first = ""]) => [first, 'data: {"error":{"code":503,"message":"Busy.","status":"UNAVAILABLE"}}\r\n\r\n'],
      ],
      [
        "a failure of the wrong shape",
        "decent",
        ([first = ""]) => [first, 'data: {"error":{"code":{},"message":[]}}\r\n\r\n'],
      ],
    ] as readonly Reordering[]
  ).map((each) => ordered("gemini", each)),
  ...(
    [
      ["roles without end", "sound", (frames) => frames.flatMap((each) => [frames[0] as string, each])],
      ["its frames backwards", "decent", (frames) => [...frames].reverse()],
      ["every frame twice", "decent", (frames) => frames.flatMap((each) => [each, each])],
      [
        "choices that are null",
        "decent",
        (frames) => frames.map((each) => each.replace(/"choices":\[.*?\}\]/, '"choices":null')),
      ],
      [
        "a finish in every frame",
        "sound",
        (frames) => frames.map((each) => each.replace('"finish_reason":null', '"finish_reason":"stop"')),
      ],
      ["an unknown reason", "sound", (frames) => frames.map((each) => each.replace('"stop"', '"tired"'))],
      [
        "another model in every frame",
        "sound",
        (frames) => frames.map((each, index) => each.replace('"fake-model"', `"model-${index}"`)),
      ],
      ["no model at all", "sound", (frames) => frames.map((each) => each.replace('"model":"fake-model",', ""))],
      [
        "a model that is an object",
        "decent",
        (frames) => frames.map((each) => each.replace('"model":"fake-model"', '"model":{"model":"x"}')),
      ],
      [
        "words that look like its end",
        "sound",
        (frames, wire) => [...frames.slice(0, 1), ...frames.slice(1, 4), wire.piece(""), ...frames.slice(4)],
      ],
      [
        "words that look like usage",
        "relayed",
        (frames, wire) => [
          ...frames.slice(0, 3),
          wire.piece('"usage":{"prompt_tokens":1000000,"completion_tokens":1000000}'),
          ...frames.slice(3),
        ],
      ],
      [
        "words that look like a failure",
        "relayed",
        (frames, wire) => [
          ...frames.slice(0, 3),
          wire.piece('{"error":{"message":"x"}} data: [DONE]\n\n'),
          ...frames.slice(3),
        ],
      ],
    ] as readonly Reordering[]
  ).map((each) => ordered("openai", each)),
];

type Reordering = readonly [string, Outcome, (frames: readonly string[], wire: Wire) => readonly string[]];

function ordered(only: Wire["name"], [name, outcome, reorder]: Reordering): HostileBehavior {
  return {
    name: `${only} with ${name}`,
    isStream: true,
    wires: [only],
    outcome,
    behave: (wire) => streamFrames(reorder(wire.frames(USUAL), wire)),
  };
}
