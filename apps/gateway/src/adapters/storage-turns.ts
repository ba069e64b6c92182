import { Failure } from "@tollgate/contracts/failures.ts";

/** Time for which the writers of an organization take turns after one of them was near a limit. */
const TURNS_MS = 10_000;
const MAX_WAIT_MS = 2_000;
/** Maximum number of an organization's writers that wait for their turn, and of those with the same key. */
const MAX_WAITING = 200;
const MAX_WAITING_PER_KEY = 100;
/** Number of organizations above which those that no longer take turns are removed. */
const MAX_IDLE = 1_000;

interface Writer {
  readonly organizationId: string | null;
  readonly keyId: string;
}

/**
 * Lets writers near a limit of stored bytes take turns before each takes a database connection. In the database, they wait
 * for each other anyway, and with a connection each, the writers of one organization would occupy the whole pool.
 */
export class StorageTurns {
  readonly #now: () => number;
  readonly #maxWaitMs: number;
  /** Organizations that were near a limit lately. */
  readonly #queues = new Map<string, TurnQueue>();

  constructor(now: () => number = () => performance.now(), maxWaitMs = MAX_WAIT_MS) {
    this.#now = now;
    this.#maxWaitMs = maxWaitMs;
  }

  /** Runs a write of an organization's key. The write calls the given function if it is near a limit. */
  async run<T>(
    { organizationId, keyId }: Writer,
    write: (onNearLimit: () => void) => Promise<T>,
    maxWaitMs = this.#maxWaitMs,
  ): Promise<T> {
    const tenant = organizationId ?? "none";
    const onNearLimit = () => this.#extend(tenant);
    const queue = this.#queues.get(tenant);
    if (queue === undefined) return write(onNearLimit);
    if (queue.isTaken) await queue.awaitTurn(keyId, maxWaitMs);
    else queue.isTaken = true;
    try {
      return await write(onNearLimit);
    } finally {
      queue.pass();
      this.#removeEnded(tenant, queue);
    }
  }

  #extend(tenant: string): void {
    let queue = this.#queues.get(tenant);
    if (queue === undefined) {
      if (this.#queues.size >= MAX_IDLE) for (const [each, ended] of this.#queues) this.#removeEnded(each, ended);
      queue = new TurnQueue();
      this.#queues.set(tenant, queue);
    }
    queue.untilMs = this.#now() + TURNS_MS;
  }

  #removeEnded(tenant: string, queue: TurnQueue): void {
    if (!queue.isTaken && queue.untilMs <= this.#now()) this.#queues.delete(tenant);
  }
}

/** The writers of one organization, in the order of their arrival. */
class TurnQueue {
  untilMs = 0;
  isTaken = false;
  readonly #waiting: WaitingWriter[] = [];

  /** Resolves when it is the writer's turn. Throws if that takes too long, or if too many others wait. */
  async awaitTurn(keyId: string, maxWaitMs: number): Promise<void> {
    const sameKey = this.#waiting.reduce((count, writer) => count + (writer.keyId === keyId ? 1 : 0), 0);
    if (this.#waiting.length >= MAX_WAITING || sameKey >= MAX_WAITING_PER_KEY) throw tooManyWriters();
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const writer = { keyId, begin: resolve };
    this.#waiting.push(writer);
    const timer = setTimeout(() => {
      this.#waiting.splice(this.#waiting.indexOf(writer), 1);
      reject(tooManyWriters());
    }, maxWaitMs);
    await promise.finally(() => clearTimeout(timer));
  }

  /** Ends a turn. The next writer's turn begins immediately, so that no later writer can come before it. */
  pass(): void {
    const next = this.#waiting.shift();
    if (next === undefined) this.isTaken = false;
    else next.begin();
  }
}

interface WaitingWriter {
  readonly keyId: string;
  readonly begin: () => void;
}

const tooManyWriters = () =>
  new Failure("overloaded", "Too many concurrent requests of this organization store data. Try again shortly.");
