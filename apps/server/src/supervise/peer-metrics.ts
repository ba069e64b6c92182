import { Failure } from "@tollgate/contracts/failures.ts";

/**
 * A message between gateway processes, relayed by the supervisor. If `to` is null, all other gateways receive the
 * message.
 */
export type PeerMessage =
  | { readonly kind: "metrics_wanted"; readonly id: number; readonly to: null }
  | { readonly kind: "metrics"; readonly id: number; readonly to: number; readonly text: string };

/** A relayed message, or a notification of the number of peers that a request was sent to. */
export type RelayedMessage =
  | (PeerMessage & { readonly from: number })
  | { readonly kind: "asked"; readonly id: number; readonly peers: number };

/**
 * Time limit for a response. If a process doesn't respond in time, the scrape fails, because a partial total would look
 * like a counter reset.
 */
const MAX_WAIT_MS = 2_000;

interface Question {
  readonly texts: string[];
  peers: number | null;
  resolve(texts: readonly string[]): void;
}

/** Collects the metrics of all gateway processes on this machine, because a scrape reaches only one of them. */
export class PeerMetrics {
  readonly #write: () => Promise<string>;
  readonly #questions = new Map<number, Question>();
  #lastId = 0;

  constructor(write: () => Promise<string>) {
    this.#write = write;
  }

  /** Starts receiving messages. Node queues messages until the first listener is added, so call this last. */
  listen(): void {
    process.on("message", (message: RelayedMessage | string) => {
      if (typeof message !== "string") this.#receive(message);
    });
  }

  /** Returns the metrics of all other processes. */
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
