import { Failure } from "@tollgate/contracts/failures.ts";
import { scanJson, type TopLevelMember } from "@tollgate/domain/json-text.ts";
import type { OwnerContext } from "../assistants/assistant-store.ts";
import { actingFor } from "../assistants/owner-context-of.ts";
import type { Conversation, Conversations } from "../call/conversation.ts";
import { tooLarge } from "../call/exchange.ts";
import { editBody, toJsonBytes } from "../wire/edit-body.ts";
import type { Item, ResponseStore, StoredResponse } from "./response-store.ts";
import { type LostAnswer, StoredResponseWriter } from "./stored-response-writer.ts";

const previousMember: ReadonlySet<string> = new Set(["previous_response_id"]);
/** Maximum number of characters of an invalid ID to echo back. */
const MAX_SHOWN = 64;
const MAX_REFERENCES = 500;
/** Maximum size of the stored responses that contain the referenced items. They are loaded for a part of each. */
const MAX_REFERRED_BYTES = 8 * 1024 * 1024;
/** Maximum time to find out whether a response can be stored. If it takes longer, the attempt to store it decides. */
const CHECK_LIMIT_MS = 250;
/** The same for requests with `store: true`. If it takes longer, the request is refused. */
const EXPLICIT_CHECK_LIMIT_MS = 2_000;

/**
 * Continues stored responses and stores new responses. Without a store, new responses are not stored, and requests that
 * refer to stored responses are rejected.
 */
export function createConversations(store: ResponseStore | null, onLost: LostAnswer): Conversations {
  return {
    recall: async ({ caller, eventId, bytes, limitBytes }) => {
      const id = `resp_${eventId.replaceAll("-", "")}`;
      const text = bytes.toString("latin1");
      const scan = scanJson(text);
      const members = scan.kind === "scanned" ? scan.members : [];
      const asked = new AskedMembers(text, members);
      const acting = actingFor(caller);
      const previousId = asked.previousId;
      const wantsStore = store !== null && asked.raw("store") !== "false" && asked.input !== null;
      const isStored = wantsStore && (await hasCapacity(store, acting, asked));
      const earlier = previousId === null ? [] : await findEarlier(store, acting, previousId, limitBytes);
      const referred = await findReferred(store, acting, asked, earlier);
      // The input is stored with the items that it refers to, so that a later turn doesn't have to find them again.
      const input = referred ?? asked.input;
      const keeper =
        isStored && input !== null ? new StoredResponseWriter(store, acting, id, previousId, input, onLost) : null;
      const conversation: Conversation = { id, previousId, isKept: keeper !== null, keeper };
      if (previousId === null && referred === null) return { bytes, conversation };
      const json = joinItems(earlier, input ?? "[]");
      const edited = editBody({ text, members }, [{ name: "input", json }], previousMember);
      if (edited.length > limitBytes) throw tooLarge(limitBytes);
      return { bytes: Buffer.from(edited, "latin1"), conversation };
    },
  };
}

/**
 * Reports whether to store the response. If storage is full, if too many requests wait to store something, or if the
 * database does not respond, a request that asks for it with `store: true` is refused, because its response would be
 * lost. Any other request is served: a database that does not respond in time must not delay a request that needs
 * nothing else from it, and full storage must not make models unusable.
 */
async function hasCapacity(store: ResponseStore, acting: OwnerContext, asked: AskedMembers): Promise<boolean> {
  const isExplicit = asked.raw("store") === "true";
  const limitMs = isExplicit ? EXPLICIT_CHECK_LIMIT_MS : CHECK_LIMIT_MS;
  const { promise: late, resolve } = Promise.withResolvers<Failure>();
  const timer = setTimeout(() => resolve(unknownCapacity()), limitMs);
  const refusal = await Promise.race([store.findRefusal(acting, asked.input ?? "", limitMs), late]);
  clearTimeout(timer);
  if (refusal !== null && isExplicit) throw refusal;
  return refusal === null || refusal.code === "DB_TIMEOUT";
}

/**
 * Reads the members of a request that refer to a conversation, without parsing the other members. Malformed members are
 * rejected later.
 */
class AskedMembers {
  readonly #text: string;
  readonly #members: readonly TopLevelMember[];

  constructor(text: string, members: readonly TopLevelMember[]) {
    this.#text = text;
    this.#members = members;
  }

  /** Returns the JSON of a member, or null if the member is absent. */
  raw(name: string): string | null {
    const member = this.#members.find((candidate) => candidate.name === name);
    return member === undefined ? null : this.#text.slice(member.valueStart, member.valueEnd).trim();
  }

  get previousId(): string | null {
    const raw = this.raw("previous_response_id");
    if (raw === null || !raw.startsWith('"')) return null;
    return readJson(raw) as string | null;
  }

  /** Returns the new input as a JSON array of items, or null if the input is invalid. */
  get input(): string | null {
    const raw = this.raw("input");
    if (raw?.startsWith('"') === true) return `[{"type":"message","role":"user","content":${raw}}]`;
    return raw?.startsWith("[") === true ? raw : null;
  }
}

async function findEarlier(
  store: ResponseStore | null,
  acting: OwnerContext,
  id: string,
  limitBytes: number,
): Promise<readonly Item[]> {
  if (store === null) throw unavailable();
  const conversation = /^resp_[0-9a-f]{32}$/.test(id) ? await store.findConversation(acting, id, limitBytes) : [];
  if (conversation === "too_large") throw tooLarge(limitBytes);
  const [first] = conversation;
  if (first === undefined) throw absent(id);
  if (first.previousId !== null) throw absent(first.previousId);
  return conversation.flatMap(itemsOf);
}

/** Resolves item references in the input. Returns null if the input has no references. */
async function findReferred(
  store: ResponseStore | null,
  acting: OwnerContext,
  asked: AskedMembers,
  earlier: readonly Item[],
): Promise<string | null> {
  if (asked.input?.includes('"item_reference"') !== true) return null;
  const items = readJson(Buffer.from(asked.input, "latin1").toString("utf8"));
  if (!Array.isArray(items)) return null;
  const references = items.filter(isReference);
  if (references.length === 0) return null;
  if (store === null) throw unavailable();
  const repeated = new Set(earlier.map(({ id }) => id));
  const names = references.filter(({ id }) => !repeated.has(id)).map(({ id }) => String(id));
  const isRead = names.length > 0 && names.length <= MAX_REFERENCES;
  const kept = isRead ? await store.findByItems(acting, names, MAX_REFERRED_BYTES) : [];
  if (kept === "too_large") throw tooMuchReferred();
  const known = new Map(kept.flatMap(itemsOf).map((item) => [item.id, item]));
  const found = (items as Item[]).flatMap((item) => {
    if (!isReference(item)) return [item];
    if (repeated.has(item.id)) return [];
    const named = known.get(item.id);
    if (named !== undefined) return [named];
    throw new Failure("invalid_request", `Item with id '${String(item.id).slice(0, MAX_SHOWN)}' not found.`, {
      param: "input",
      fix: "Send the item itself, or set 'store': true on the request that creates it.",
    });
  });
  return toJsonBytes(found);
}

function isReference(item: Item | null): item is Item {
  return item?.type === "item_reference";
}

function itemsOf({ input, response }: StoredResponse): readonly Item[] {
  return [...input, ...(Array.isArray(response.output) ? (response.output as readonly Item[]) : [])];
}

/** Puts earlier items before the new items, which are already encoded as JSON. */
function joinItems(earlier: readonly Item[], asked: string): string {
  if (earlier.length === 0) return asked;
  const before = toJsonBytes(earlier).slice(0, -1);
  const rest = asked.slice(1).trimStart();
  return rest.startsWith("]") ? before + rest : `${before},${rest}`;
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function absent(id: string): Failure {
  return new Failure(
    "previous_response_not_found",
    `Previous response with id '${id.slice(0, MAX_SHOWN)}' not found.`,
    {
      param: "previous_response_id",
      fix: "Responses are stored for 30 days, unless they were created with 'store': false. Send the conversation as 'input' instead.",
    },
  );
}

function tooMuchReferred(): Failure {
  return new Failure(
    "request_too_large",
    `The responses that the item references refer to have more than ${MAX_REFERRED_BYTES} bytes.`,
    { param: "input", fix: "Send the items themselves, or continue the response with 'previous_response_id'." },
  );
}

function unavailable(): Failure {
  return new Failure("responses_unavailable", "Continuing a response requires a database and TOLLGATE_SECRET_KEY.", {
    fix: "Set both and restart. To generate a key, run `openssl rand -hex 32`. Or send the conversation as 'input'.",
  });
}

/** The refusal of a request with `store: true` while the database does not respond. */
export function unknownCapacity(cause?: unknown): Failure {
  return new Failure("DB_TIMEOUT", "The response cannot be stored, because the database is not responding.", {
    cause,
    retryAfterMs: 1_000,
    fix: "Try again shortly, or send the request without 'store'. It is then served, and its response might not be stored.",
  });
}
