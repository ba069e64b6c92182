import { Failure } from "@tollgate/contracts/failures.ts";

/** Maximum number of an organization's recalls that run at the same time, because each can load 50 MiB. */
const MAX_RUNNING = 2;
/** Bytes per millisecond that an organization can load for long. Decrypting and parsing them takes a fifth of a core. */
const BYTES_PER_MS = 40_000;
/** Bytes that an organization can load in advance, so that ordinary conversations never wait. */
const BURST_BYTES = 4_000_000;
const MAX_WAIT_MS = 2_000;
/** Maximum number of an organization's recalls that wait, and of those with the same key. */
const MAX_WAITING = 200;
const MAX_WAITING_PER_KEY = 100;
/** Number of organizations above which those without a recall are removed. */
const MAX_IDLE = 1_000;

interface Reader {
  readonly organizationId: string | null;
  readonly keyId: string;
}

/**
 * Limits the stored responses that an organization's requests load. A short request can name many large responses, and
 * it is not counted by rate limits until they are loaded, so its organization could delay all others.
 */
export class RecallTurns {
  readonly #now: () => number;
  readonly #queues = new Map<string, RecallQueue>();

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Loads responses when it is the request's turn. `load` calls the given function with the bytes it has loaded. */
  async run<T>({ organizationId, keyId }: Reader, load: (onLoaded: (bytes: number) => void) => Promise<T>): Promise<T> {
    const queue = this.#queueOf(organizationId ?? "none");
    await queue.enter(keyId);
    try {
      return await load((bytes) => queue.count(bytes));
    } finally {
      queue.leave();
    }
  }

  #queueOf(tenant: string): RecallQueue {
    const known = this.#queues.get(tenant);
    if (known !== undefined) return known;
    if (this.#queues.size >= MAX_IDLE) {
      for (const [each, queue] of this.#queues) if (queue.isIdle) this.#queues.delete(each);
    }
    const queue = new RecallQueue(this.#now);
    this.#queues.set(tenant, queue);
    return queue;
  }
}

interface WaitingReader {
  readonly keyId: string;
  readonly begin: () => void;
}

/** The recalls of one organization, in the order of their arrival. */
class RecallQueue {
  readonly #now: () => number;
  readonly #waiting: WaitingReader[] = [];
  #running = 0;
  /** Time at which everything that was loaded fits into the sustained rate. */
  #evenAtMs = 0;
  #timer: NodeJS.Timeout | null = null;

  constructor(now: () => number) {
    this.#now = now;
  }

  get isIdle(): boolean {
    return this.#running === 0 && this.#waiting.length === 0 && this.#evenAtMs <= this.#now();
  }

  /** Resolves when it is the recall's turn. Throws if that takes too long, or if too many others wait. */
  async enter(keyId: string): Promise<void> {
    if (this.#waiting.length === 0 && this.#running < MAX_RUNNING && this.#delayMs <= 0) {
      this.#running += 1;
      return;
    }
    const sameKey = this.#waiting.reduce((count, reader) => count + (reader.keyId === keyId ? 1 : 0), 0);
    if (this.#waiting.length >= MAX_WAITING || sameKey >= MAX_WAITING_PER_KEY) throw tooManyRecalls();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const reader = { keyId, begin: resolve };
    this.#waiting.push(reader);
    const limit = setTimeout(() => {
      this.#waiting.splice(this.#waiting.indexOf(reader), 1);
      reject(tooManyRecalls());
    }, MAX_WAIT_MS);
    this.#beginNext();
    await promise.finally(() => clearTimeout(limit));
  }

  count(bytes: number): void {
    this.#evenAtMs = Math.max(this.#evenAtMs, this.#now()) + bytes / BYTES_PER_MS;
  }

  leave(): void {
    this.#running -= 1;
    this.#beginNext();
  }

  /** Time until the next recall may begin. */
  get #delayMs(): number {
    return this.#evenAtMs - this.#now() - BURST_BYTES / BYTES_PER_MS;
  }

  #beginNext(): void {
    while (this.#running < MAX_RUNNING && this.#timer === null) {
      if (this.#waiting.length === 0) return;
      if (this.#delayMs > 0) {
        this.#timer = setTimeout(() => {
          this.#timer = null;
          this.#beginNext();
        }, this.#delayMs);
        return;
      }
      this.#running += 1;
      this.#waiting.shift()?.begin();
    }
  }
}

const tooManyRecalls = () =>
  new Failure(
    "overloaded",
    "Too many concurrent requests of this organization continue stored responses. Try again shortly.",
    { fix: "Send fewer such requests at a time, or send the conversation as 'input'." },
  );
