import type { TurnEnd } from "@tollgate/domain/assistants/judge-turn.ts";
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
 * What a model says becomes records: a message with its step, then a step of calls. While it is said they have ids and are
 * told piece by piece; stored they are at the end, so an answer that nobody finished leaves nothing behind.
 */
export class TurnDraft {
  readonly #run: Run;
  readonly #now: () => number;
  #lastMs = 0;
  #message: { readonly message: Opened; readonly step: Opened } | null = null;
  #calls: Opened | null = null;
  /** When the message was over because calls began. */
  #messageEndedAtMs: number | null = null;
  readonly #callIds: string[] = [];
  readonly #parts: ("text" | "refusal")[] = [];
  #said: Words = { text: "", refusal: "" };

  constructor(run: Run, now: () => number) {
    this.#run = run;
    this.#now = now;
  }

  /** Whether something was told of already. */
  get isBegun(): boolean {
    return this.#message !== null || this.#calls !== null;
  }

  /** The events of a piece, with those of whatever begins or ends with it. */
  tell(delta: TurnDelta): readonly RunEvent[] {
    if (delta.kind === "call") {
      const begun = delta.name === undefined ? null : { id: this.#callId(delta.index), name: delta.name };
      const events = this.#calls === null ? [...this.#endMessage(), ...this.#beginCalls()] : [];
      return [...events, toolCallDeltaEvent(this.#openCalls().id, delta.index, begun, delta.arguments)];
    }
    // Words after a call are in the record alone: their message was told to be over.
    if (this.#calls !== null) return [];
    const events = this.#message === null ? this.#beginMessage() : [];
    this.#said = { ...this.#said, [delta.kind]: this.#said[delta.kind] + delta.value };
    const { message } = this.#openMessage();
    return [...events, messageDeltaEvent(message.id, this.#partIndex(delta.kind), delta.kind, delta.value)];
  }

  /** The events of an answer that did not come in pieces, or has none. */
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

  /** The records of an answer, or of what came of it. */
  close(turn: ReadTurn, end: TurnEnd): DraftRecords {
    const hasCalls = turn.calls.length > 0;
    const hasWords = turn.text !== "" || turn.refusal !== "" || !hasCalls;
    const messages: Message[] = [];
    const steps: Step[] = [];
    if (hasWords) {
      // What the turn used stands once, with its last step.
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

  /** The events with which closed records end, but for those that were told to be over. */
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

  /** A listener follows one step at a time, so words that come before calls are over when these begin. */
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

  /** Parts stand in the order in which they began. */
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

  /** Lists are ordered by time, so no two records of an answer have the same. */
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

/** How words end that were said to the end. */
const SAID = {
  message: { status: "completed", incompleteReason: null },
  step: "completed",
  lastError: null,
} as const;
