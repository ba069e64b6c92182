import type { OperationName } from "../call/operation-traits.ts";
import { TextSlots } from "./text-slots.ts";

export type StreamEvent = Record<string, unknown>;
type Holder = Record<string, unknown>;

/** Piece of a growing text inside an event. */
export interface Delta {
  /** Name of the growing text. */
  readonly channel: string;
  readonly holder: Holder;
  readonly key: string;
  /** Returns a copy of the event with `text` as its only piece of the same growing text. */
  another(text: string): StreamEvent;
}

/** Locates the text in stream events. */
export interface StreamWire {
  deltasIn(event: StreamEvent): readonly Delta[];
  /** Returns the prefixes of the channels that end with this event. */
  endedBy(event: StreamEvent): readonly string[];
  /** Returns the strings in an event that don't grow. They are complete, or they repeat text that has grown. */
  wholeTextsIn(event: StreamEvent): TextSlots;
  /** Reports whether an event can be omitted if its pieces are empty. */
  saysNothing(event: StreamEvent): boolean;
}

const NO_TEXT: readonly string[] = [];
/** Prefix of every channel. */
const EVERY_TEXT: readonly string[] = [""];
const CHAT_TEXTS = ["content", "reasoning_content", "reasoning", "refusal"];
const GROWING: ReadonlySet<string> = new Set([...CHAT_TEXTS, "tool_calls", "function_call", "audio", "role"]);

const chat: StreamWire = {
  deltasIn: (event) => choicesOf(event).flatMap((choice) => chatDeltas(event, choice)),
  endedBy: (event) =>
    choicesOf(event)
      .filter(({ finish_reason: reason }) => reason != null)
      .map(({ index = 0 }) => `${index}/`),
  wholeTextsIn: (event) => {
    const slots = new TextSlots();
    for (const { delta } of choicesOf(event)) {
      if (!isObject(delta)) continue;
      for (const name of Object.keys(delta)) if (!GROWING.has(name)) slots.addField(delta, name);
    }
    return slots;
  },
  saysNothing: (event) =>
    event.usage == null &&
    choicesOf(event).every(({ delta, finish_reason: reason }) => reason == null && isEmptyDelta(delta)),
};

const completions: StreamWire = {
  deltasIn: (event) =>
    choicesOf(event).flatMap((choice) => {
      if (typeof choice.text !== "string") return [];
      const { index = 0 } = choice;
      const another = (text: string) => ({
        ...event,
        usage: undefined,
        choices: [{ index, text, logprobs: null, finish_reason: null }],
      });
      return [{ channel: `${index}/text`, holder: choice, key: "text", another }];
    }),
  endedBy: chat.endedBy,
  wholeTextsIn: () => new TextSlots(),
  saysNothing: (event) =>
    event.usage == null && choicesOf(event).every(({ text, finish_reason: reason }) => reason == null && text === ""),
};

const MESSAGE_TEXTS = ["text", "thinking", "partial_json"];

const messages: StreamWire = {
  deltasIn: (event) => {
    const { type, index, delta } = event;
    if (type !== "content_block_delta" || !isObject(delta)) return [];
    const key = MESSAGE_TEXTS.find((name) => typeof delta[name] === "string");
    if (key === undefined) return [];
    const another = (text: string) => ({ type, index, delta: { type: delta.type, [key]: text } });
    return [{ channel: `${index}/${key}`, holder: delta, key, another }];
  },
  endedBy: ({ type, index }) => {
    if (type === "content_block_stop") return [`${index}/`];
    return type === "message_delta" || type === "message_stop" ? EVERY_TEXT : NO_TEXT;
  },
  wholeTextsIn: (event) => {
    const slots = new TextSlots();
    if (event.type === "content_block_start") slots.addField(event, "content_block");
    if (isObject(event.message)) slots.addField(event.message, "content");
    if (isObject(event.delta)) slots.addField(event.delta, "citation");
    return slots;
  },
  saysNothing: ({ type, delta }) =>
    type === "content_block_delta" && isObject(delta) && MESSAGE_TEXTS.some((name) => delta[name] === ""),
};

const WHOLE_RESPONSE_TEXTS = ["item", "part", "text", "arguments", "refusal", "input", "code", "annotation"];
const ENDS_OF_RESPONSES = /^response\.(?:completed|incomplete|failed)$/;

const responses: StreamWire = {
  deltasIn: (event) => {
    const { type, delta } = event;
    if (typeof delta !== "string" || typeof type !== "string" || type === "response.audio.delta") return [];
    const another = (text: string) => ({ ...event, delta: text });
    return [{ channel: responseChannel(event, ".delta"), holder: event, key: "delta", another }];
  },
  endedBy: (event) => {
    const type = String(event.type);
    if (ENDS_OF_RESPONSES.test(type)) return EVERY_TEXT;
    if (type === "response.content_part.done" || type === "response.output_item.done")
      return [`${event.output_index}/`];
    return type.endsWith(".done") ? [responseChannel(event, ".done")] : NO_TEXT;
  },
  wholeTextsIn: (event) => {
    const slots = new TextSlots();
    for (const field of WHOLE_RESPONSE_TEXTS) slots.addField(event, field);
    if (isObject(event.response)) slots.addField(event.response, "output");
    return slots;
  },
  saysNothing: ({ delta }) => delta === "",
};

/** Wire formats that stream text. Audio is not checked. */
export const streamWires: Readonly<Partial<Record<OperationName, StreamWire>>> = {
  "chat.completions": chat,
  completions,
  messages,
  responses,
};

function chatDeltas(event: StreamEvent, choice: Holder): readonly Delta[] {
  const { index = 0, delta } = choice;
  if (!isObject(delta)) return [];
  const deltas: Delta[] = [];
  const add = (name: string, holder: unknown, key: string, wrap: (text: string) => Holder) => {
    if (!isObject(holder) || typeof holder[key] !== "string") return;
    const another = (text: string) => ({
      ...event,
      usage: undefined,
      choices: [{ index, delta: wrap(text), logprobs: null, finish_reason: null }],
    });
    deltas.push({ channel: `${index}/${name}`, holder, key, another });
  };
  for (const key of CHAT_TEXTS) add(key, delta, key, (text) => ({ [key]: text }));
  add("audio", delta.audio, "transcript", (transcript) => ({ audio: { transcript } }));
  add("function", delta.function_call, "arguments", (text) => ({ function_call: { arguments: text } }));
  for (const tool of Array.isArray(delta.tool_calls) ? delta.tool_calls : []) {
    if (!isObject(tool)) continue;
    const { index: place = 0 } = tool;
    const wrap = (text: string) => ({ tool_calls: [{ index: place, function: { arguments: text } }] });
    add(`tool-${place}`, tool.function, "arguments", wrap);
    // Some providers send tool calls with free-form input.
    const wrapInput = (text: string) => ({ tool_calls: [{ index: place, custom: { input: text } }] });
    add(`custom-${place}`, tool.custom, "input", wrapInput);
  }
  return deltas;
}

function isEmptyDelta(delta: unknown): boolean {
  return !isObject(delta) || Object.entries(delta).every(([name, value]) => isNothing(name, value));
}

function isNothing(name: string, value: unknown): boolean {
  if (name === "tool_calls") {
    return Array.isArray(value) && value.every((tool) => isObject(tool) && tool.id === undefined && isEmptyCall(tool));
  }
  return value === "" || value === null;
}

function isEmptyCall({ function: called, custom }: Holder): boolean {
  const isEmpty = (part: unknown, key: string) => !isObject(part) || (part.name === undefined && part[key] === "");
  return isEmpty(called, "arguments") && isEmpty(custom, "input");
}

function responseChannel(event: StreamEvent, ending: string): string {
  const { type, output_index: output, content_index: content, summary_index: summary } = event;
  return `${output}/${String(type).slice(0, -ending.length)}/${content ?? summary ?? ""}`;
}

function choicesOf({ choices }: StreamEvent): readonly Holder[] {
  return Array.isArray(choices) ? choices.filter(isObject) : [];
}

function isObject(value: unknown): value is Holder {
  return typeof value === "object" && value !== null;
}
