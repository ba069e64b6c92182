import { makeRecordId } from "@tollgate/domain/assistants/make-id.ts";
import type { ReadTurn, TurnDelta } from "@tollgate/domain/assistants/read-turn.ts";
import type {
  ContentPart,
  Message,
  MessageFields,
  Run,
  RunEvent,
  Step,
  StepCall,
  StepFields,
  ToolCall,
} from "@tollgate/domain/assistants/records.ts";
import type { TurnEnd } from "@tollgate/domain/assistants/resolve-turn.ts";
import {
  completedEvents,
  messageCreatedEvents,
  messageDeltaEvent,
  stepCreatedEvents,
  toolCallDeltaEvent,
} from "./turn-events.ts";

export interface DraftRecords {
  readonly messages: readonly Message[];
  readonly steps: readonly Step[];
  readonly required: readonly ToolCall[];
}

type Opened = Pick<Message, "id" | "createdAtMs">;
type Words = Pick<ReadTurn, "text" | "refusal">;

const OPEN_MESSAGE = { status: "in_progress", incompleteReason: null, endedAtMs: null, content: [] } as const;
const OPEN_STEP = { status: "in_progress", lastError: null, endedAtMs: null, usage: null } as const;

/**
 * Turns a model's output into records: a message with its step, and then a step with tool calls. While output streams
 * in, the records have IDs and produce events. The records are stored only at the end, so an unfinished response leaves
 * no records behind.
 */
export class TurnDraft {
  readonly #run: Run;
  readonly #now: () => number;
  #lastMs = 0;
  #message: { readonly message: Opened; readonly step: Opened } | null = null;
  #calls: Opened | null = null;
  /** Time at which the message ended because tool calls started. */
  #messageEndedAtMs: number | null = null;
  readonly #callIds: string[] = [];
  readonly #parts: ("text" | "refusal")[] = [];
  #said: Words = { text: "", refusal: "" };

  constructor(run: Run, now: () => number) {
    this.#run = run;
    this.#now = now;
  }

  /** Reports whether any event was produced. */
  get isBegun(): boolean {
    return this.#message !== null || this.#calls !== null;
  }

  /** Returns the events for a delta, including the events of records that the delta starts or ends. */
  tell(delta: TurnDelta): readonly RunEvent[] {
    if (delta.kind === "call") {
      const begun = delta.name === undefined ? null : { id: this.#callId(delta.index), name: delta.name };
      const events = this.#calls === null ? [...this.#endMessage(), ...this.#beginCalls()] : [];
      return [...events, toolCallDeltaEvent(this.#openCalls().id, delta.index, begun, delta.arguments)];
    }
    // Text after a tool call is stored but not streamed, because its message has already ended in the stream.
    if (this.#calls !== null) return [];
    const events = this.#message === null ? this.#beginMessage() : [];
    this.#said = { ...this.#said, [delta.kind]: this.#said[delta.kind] + delta.value };
    const { message } = this.#openMessage();
    return [...events, messageDeltaEvent(message.id, this.#partIndex(delta.kind), delta.kind, delta.value)];
  }

  /** Returns the events of a response that was not streamed or that is empty. */
  tellWhole(turn: ReadTurn): readonly RunEvent[] {
    if (this.isBegun) return [];
    const deltas: TurnDelta[] = [
      ...(turn.text === "" ? [] : [{ kind: "text", value: turn.text } as const]),
      ...(turn.refusal === "" ? [] : [{ kind: "refusal", value: turn.refusal } as const]),
      ...turn.calls.map(
        ({ name, arguments: given }, index) => ({ kind: "call", index, name, arguments: given }) as const,
      ),
    ];
    return deltas.length === 0 ? this.#beginMessage() : deltas.flatMap((delta) => this.tell(delta));
  }

  /** Returns the records of a response, or of the part that was received. */
  close(turn: ReadTurn, end: TurnEnd): DraftRecords {
    const hasCalls = turn.calls.length > 0;
    const hasWords = turn.text !== "" || turn.refusal !== "" || !hasCalls;
    const messages: Message[] = [];
    const steps: Step[] = [];
    if (hasWords) {
      // The turn's usage is stored once, with its last step.
      const [message, step] = this.#closeMessage(turn, end, hasCalls ? null : turn.usage);
      messages.push(message);
      steps.push(step);
    }
    const calls = turn.calls.map(({ name, arguments: given, extra }, index): StepCall => {
      const called = { id: this.#callId(index), type: "function", function: { name, arguments: given } } as const;
      return { ...called, output: null, ...(extra !== undefined && { extra }) };
    });
    if (hasCalls) {
      const details = {
        type: "tool_calls",
        calls,
        ...(turn.thoughts.length > 0 && { thoughts: turn.thoughts }),
      } as const;
      const endedAtMs = end.calls === "in_progress" ? null : this.#time();
      const ended = { status: end.calls, lastError: end.lastError, endedAtMs, usage: turn.usage };
      steps.push(this.#stepOf(this.#openCalls(), { ...ended, details }));
    }
    return {
      messages,
      steps,
      required: calls.map(({ id, type, function: called }) => ({ id, type, function: called })),
    };
  }

  /** Returns the final events of closed records, except records that have already ended in the stream. */
  tellClosed({ messages, steps }: DraftRecords): readonly RunEvent[] {
    if (this.#messageEndedAtMs === null) return completedEvents(messages, steps);
    return completedEvents(
      [],
      steps.filter(({ id }) => id !== this.#message?.step.id),
    );
  }

  #beginMessage(): readonly RunEvent[] {
    const { message, step } = this.#openMessage();
    const details = { type: "message_creation", messageId: message.id } as const;
    return [
      ...stepCreatedEvents(this.#stepOf(step, { ...OPEN_STEP, details })),
      ...messageCreatedEvents(this.#messageOf(message, OPEN_MESSAGE)),
    ];
  }

  #beginCalls(): readonly RunEvent[] {
    const details = { type: "tool_calls", calls: [] } as const;
    return stepCreatedEvents(this.#stepOf(this.#openCalls(), { ...OPEN_STEP, details }));
  }

  /** Ends the message before tool calls start, because clients expect only one open step at a time. */
  #endMessage(): readonly RunEvent[] {
    if (this.#message === null) return [];
    this.#messageEndedAtMs = this.#time();
    const [message, step] = this.#closeMessage(this.#said, SAID, null);
    return completedEvents([message], [step]);
  }

  #closeMessage(words: Words, end: Omit<TurnEnd, "calls">, usage: StepFields["usage"]): [Message, Step] {
    const { message, step } = this.#openMessage();
    const { message: ended, step: status, lastError } = this.#messageEndedAtMs === null ? end : SAID;
    const endedAtMs = this.#messageEndedAtMs ?? this.#time();
    const details = { type: "message_creation", messageId: message.id } as const;
    return [
      this.#messageOf(message, { ...ended, endedAtMs, content: this.#contentOf(words) }),
      this.#stepOf(step, { status, details, lastError, endedAtMs, usage }),
    ];
  }

  /** Returns the index of a content part. Parts are numbered in the order in which they started. */
  #partIndex(kind: "text" | "refusal"): number {
    if (!this.#parts.includes(kind)) this.#parts.push(kind);
    return this.#parts.indexOf(kind);
  }

  #contentOf({ text, refusal }: Words): readonly ContentPart[] {
    if (text !== "") this.#partIndex("text");
    if (refusal !== "") this.#partIndex("refusal");
    return this.#parts.map((kind) =>
      kind === "text" ? { type: kind, text: { value: text, annotations: [] } } : { type: kind, refusal },
    );
  }

  #openMessage() {
    this.#message ??= { step: this.#open("step"), message: this.#open("msg") };
    return this.#message;
  }

  #openCalls(): Opened {
    this.#calls ??= this.#open("step");
    return this.#calls;
  }

  #open(prefix: "step" | "msg"): Opened {
    return { id: makeRecordId(prefix), createdAtMs: this.#time() };
  }

  #callId(index: number): string {
    this.#callIds[index] ??= makeRecordId("call");
    return this.#callIds[index];
  }

  /** Returns a unique, increasing timestamp, because lists are sorted by time. */
  #time(): number {
    this.#lastMs = Math.max(this.#now(), this.#lastMs + 1);
    return this.#lastMs;
  }

  #messageOf(
    opened: Opened,
    said: Pick<MessageFields, "status" | "incompleteReason" | "endedAtMs" | "content">,
  ): Message {
    const { id, threadId, assistantId } = this.#run;
    const fields: MessageFields = { role: "assistant", ...said, assistantId, attachments: [], metadata: {} };
    return { ...opened, threadId, runId: id, fields };
  }

  #stepOf(opened: Opened, fields: StepFields): Step {
    const { id, threadId, assistantId } = this.#run;
    return { ...opened, runId: id, threadId, assistantId, fields };
  }
}

/** End state of a complete message. */
const SAID = {
  message: { status: "completed", incompleteReason: null },
  step: "completed",
  lastError: null,
} as const;
