import { type ChatParameters, noParameters } from "./chat-parameters.ts";
import { type ChatState, emptyColumn, turnsOf } from "./chat-state.ts";

/** A conversation stored in this browser. It contains the messages but no API key. */
interface Draft {
  readonly name: string;
  readonly savedAt: string;
  readonly chat: PlainChat;
}

/** A chat without response metadata or images, short enough for a link. */
interface PlainChat {
  readonly shared: Partial<ChatParameters>;
  readonly columns: readonly {
    readonly model: string;
    readonly own: Partial<ChatParameters>;
    readonly turns: readonly { readonly ask: string; readonly answer: string | null }[];
  }[];
}

const STORED = "tollgate.playground.drafts";
const MAX_DRAFTS = 30;
/** Maximum link length. Email clients and chat apps truncate longer links. */
const MAX_LINK = 16_000;

export function listDrafts(): readonly Draft[] {
  try {
    const stored = JSON.parse(localStorage.getItem(STORED) ?? "[]") as unknown;
    return Array.isArray(stored) ? (stored as readonly Draft[]).filter(({ name }) => typeof name === "string") : [];
  } catch {
    return [];
  }
}

/**
 * Saves a draft, replacing any draft with the same name. If there are too many drafts, the oldest drafts are deleted.
 */
export function saveDraft(name: string, state: ChatState, now: Date): void {
  const others = listDrafts().filter((draft) => draft.name !== name);
  const draft: Draft = { name, savedAt: now.toISOString(), chat: toPlain(state) };
  localStorage.setItem(STORED, JSON.stringify([draft, ...others].slice(0, MAX_DRAFTS)));
}

export function deleteDraft(name: string): void {
  localStorage.setItem(STORED, JSON.stringify(listDrafts().filter((draft) => draft.name !== name)));
}

/** Encodes the chat for the URL fragment, which isn't sent to servers; null if it is too long for a link. */
export function writeShared(state: ChatState): string | null {
  const bytes = new TextEncoder().encode(JSON.stringify(toPlain(state)));
  const text = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
  return text.length > MAX_LINK ? null : text.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** Decodes the chat in a shared link; null if it is missing or truncated. */
export function readShared(text: string): ChatState | null {
  try {
    const bytes = Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (letter) =>
      letter.charCodeAt(0),
    );
    return fromPlain(JSON.parse(new TextDecoder().decode(bytes)) as PlainChat);
  } catch {
    return null;
  }
}

function toPlain({ columns, shared }: ChatState): PlainChat {
  return {
    shared: differences(shared),
    columns: columns.map((column) => ({
      model: column.model,
      own: column.own,
      turns: turnsOf(column).map(({ text, answer }) => ({ ask: text, answer: answer === null ? null : answer.text })),
    })),
  };
}

/** Builds the state from a shared chat. Links are untrusted, so values that aren't strings are dropped. */
export function fromPlain({ columns, shared }: PlainChat): ChatState {
  return {
    shared: { ...noParameters, ...textsOf(shared) },
    columns: columns.slice(0, 4).map(({ model, own, turns }, index) => ({
      ...emptyColumn(`column-${index + 1}`, String(model)),
      own: textsOf(own),
      branches: [
        turns.map(({ ask, answer }, place) => ({
          id: `turn-${place + 1}`,
          text: String(ask),
          images: [],
          answer: typeof answer === "string" ? reported(answer) : null,
        })),
      ],
    })),
  };
}

const reported = (text: string) =>
  ({ text, reasoning: "", toolCalls: [], state: "done", facts: null, finishReason: null, error: null }) as const;

function differences(parameters: ChatParameters): Partial<ChatParameters> {
  const names = Object.keys(noParameters) as (keyof ChatParameters)[];
  return Object.fromEntries(
    names.filter((name) => parameters[name] !== noParameters[name]).map((name) => [name, parameters[name]]),
  );
}

function textsOf(parameters: Partial<ChatParameters> | undefined): Partial<ChatParameters> {
  const names = Object.keys(noParameters) as (keyof ChatParameters)[];
  return Object.fromEntries(
    names.filter((name) => typeof parameters?.[name] === "string").map((name) => [name, parameters?.[name]]),
  );
}
