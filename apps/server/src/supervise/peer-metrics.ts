import { Failure } from "@tollgate/contracts/failures.ts";

/** What gateway processes say to each other by way of their supervisor. `to` null is every other gateway. */
export type PeerMessage =
  | { readonly kind: "metrics_wanted"; readonly id: number; readonly to: null }
  | { readonly kind: "metrics"; readonly id: number; readonly to: number; readonly text: string };

/** A message as it arrives, or how many a question went to. */
export type RelayedMessage =
  | (PeerMessage & { readonly from: number })
  | { readonly kind: "asked"; readonly id: number; readonly peers: number };

/** A scrape that misses a process would look as if its counters had begun anew, so there is rather none. */
const MAX_WAIT_MS = 2_000;

interface Question {
  readonly texts: string[];
  peers: number | null;
  resolve(texts: readonly string[]): void;
}

/** Asks the other gateway processes of this machine what they counted, because any of them may be the one that is asked. */
export class PeerMetrics {
  readonly #write: () => Promise<string>;
  readonly #questions = new Map<number, Question>();
  #lastId = 0;

  constructor(write: () => Promise<string>) {
    this.#write = write;
  }

  /** Hears others from now on. Until somebody listens, messages wait; so this must not come before all who do. */
  listen(): void {
    process.on("message", (message: RelayedMessage | string) => {
      if (typeof message !== "string") this.#receive(message);
    });
  }

  /** What every other process counted. */
  async gather(): Promise<readonly string[]> {
    if (!process.connected) return [];
    this.#lastId += 1;
    const id = this.#lastId;
    const { promise, resolve, reject } = Promise.withResolvers<readonly string[]>();
    this.#questions.set(id, { texts: [], peers: null, resolve });
    const timer = setTimeout(
      () =>
        reject(new Failure("service_unavailable", "A process of this instance did not report its metrics in time.")),
      MAX_WAIT_MS,
    );
    send({ kind: "metrics_wanted", id, to: null });
    try {
      return await promise;
    } finally {
      clearTimeout(timer);
      this.#questions.delete(id);
    }
  }

  #receive(message: RelayedMessage): void {
    if (message.kind === "metrics_wanted") {
      const { id, from } = message;
      void this.#write().then((text) => send({ kind: "metrics", id, to: from, text }));
      return;
    }
    const question = this.#questions.get(message.id);
    if (question === undefined) return;
    if (message.kind === "asked") question.peers = message.peers;
    else question.texts.push(message.text);
    if (question.texts.length === question.peers) question.resolve(question.texts);
  }
}

function send(message: PeerMessage): void {
  process.send?.(message);
}
