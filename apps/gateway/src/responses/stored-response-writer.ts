import type { OwnerContext } from "../assistants/assistant-store.ts";
import type { ResponseWriter } from "../call/conversation.ts";
import { dataOfFrame } from "../wire/sse-frames.ts";
import type { ResponseStore } from "./response-store.ts";

/** Maximum size of a stored response. Larger responses are not stored. */
const MAX_KEPT_BYTES = 4 * 1024 * 1024;
/** Maximum time that the last byte of a response waits for the response to be stored. */
const PATIENCE_MS = 2_000;

/** Called when a response could not be stored. The client still receives the response. */
export type LostAnswer = (id: string, reason: unknown) => void;

/** Stores a response with its input before its last byte is sent. */
export class StoredResponseWriter implements ResponseWriter {
  readonly #store: ResponseStore;
  readonly #acting: OwnerContext;
  readonly #id: string;
  readonly #previousId: string | null;
  /** A JSON array as a binary string, one character per byte. */
  readonly #input: string;
  readonly #onLost: LostAnswer;

  constructor(
    store: ResponseStore,
    acting: OwnerContext,
    id: string,
    previousId: string | null,
    input: string,
    onLost: LostAnswer,
  ) {
    this.#store = store;
    this.#acting = acting;
    this.#id = id;
    this.#previousId = previousId;
    this.#input = input;
    this.#onLost = onLost;
  }

  async keep(sent: string): Promise<void> {
    try {
      const response = findResponse(sent);
      if (response === null) return;
      if (sent.length + this.#input.length > MAX_KEPT_BYTES) {
        throw new Error(`the response and its input exceed ${MAX_KEPT_BYTES} bytes`);
      }
      await withinPatience(this.#write(response));
    } catch (error) {
      this.#onLost(this.#id, error);
    }
  }

  #write(response: Response): Promise<void> {
    const record = JSON.stringify({ input: readBytes(this.#input), response });
    const items = Array.isArray(response.output) ? (response.output as readonly { readonly id?: unknown }[]) : [];
    const itemIds = items.flatMap(({ id }) => (typeof id === "string" ? [id] : []));
    return this.#store.keep(this.#acting, { id: this.#id, previousId: this.#previousId, itemIds, record });
  }
}

type Response = Readonly<Record<string, unknown>>;

/**
 * Extracts the response object from the sent bytes: the whole body or the end of a stream. Returns null for a failed
 * response.
 */
function findResponse(sent: string): Response | null {
  if (sent.startsWith("{")) return readBytes(sent) as Response;
  const frame = sent.split("\n\n").findLast((candidate) => /"response\.(?:completed|incomplete)"/.test(candidate));
  const data = frame === undefined ? null : dataOfFrame(frame);
  return data === null ? null : (readBytes(data) as { readonly response: Response }).response;
}

function readBytes(json: string): unknown {
  return JSON.parse(Buffer.from(json, "latin1").toString("utf8"));
}

/** Waits for the write to finish, and throws if it takes too long. Ignores a later outcome. */
async function withinPatience(writing: Promise<void>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`the response was not stored within ${PATIENCE_MS} ms`)), PATIENCE_MS);
  });
  try {
    await Promise.race([writing, late]);
  } finally {
    clearTimeout(timer);
  }
}
