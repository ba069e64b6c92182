import { answerWithin } from "./answer-within.ts";
import type { LeaseUse } from "./lease-messages.ts";
import type { Clock, CreditLedger } from "./ports.ts";

const BEAT_EVERY_MS = 10_000;
const RETRY_AFTER_MS = 1_000;
const ANSWER_WITHIN_MS = 5_000;
/** The ledger keeps a silent node's leases for 30 s; the node stops two seconds before that. */
const USABLE_FOR_MS = 28_000;

/** What the node does around its heartbeats. */
export interface HeartbeatHooks {
  /** About to send one: tidy up, and tell what the leases are used for. */
  beating(): readonly LeaseUse[];
  /** The ledger has answered, leases may be used. */
  alive(): void;
  /** Registered under a new epoch: what was leased before is out of reach. */
  registered(epoch: number): void;
  /** The database is older than what this node knows of it. */
  restored(): void;
  oldestUnconfirmedAtMs(): number | null;
}

/** Keeps a node known to the ledger, and knows until when it may use its leases. */
export class NodeHeartbeat {
  epoch = 0;
  liveNodes = 1;
  beatsAnswered = 0;
  /** Counts the times that leases ran out before a heartbeat was answered: some may be gone since. */
  outages = 0;
  readonly #nodeId: string;
  readonly #clock: Clock;
  readonly #ledger: CreditLedger;
  readonly #events: HeartbeatHooks;
  #usableUntilMs = Number.NEGATIVE_INFINITY;
  #usableUntilWallMs = Number.NEGATIVE_INFINITY;
  #isSuspect = false;
  #mustRegister = true;
  #wasFenced = false;
  #registrations = 0;
  #knownEpoch = 0;
  #beat = 0;
  #highestAnswered = 0;
  #isPoked = false;
  #isResting = false;
  #isStopped = false;
  #wake: () => void = nothing;

  constructor(nodeId: string, clock: Clock, ledger: CreditLedger, events: HeartbeatHooks) {
    this.#nodeId = nodeId;
    this.#clock = clock;
    this.#ledger = ledger;
    this.#events = events;
  }

  /** Whether leases may be used at this moment of the monotonic clock. */
  isUsable(nowMs: number): boolean {
    return nowMs < this.#usableUntilMs && this.#clock.wallMs() < this.#usableUntilWallMs && !this.#isSuspect;
  }

  /** Registers and beats until it is stopped; the promise ends with the first registration, or the stop. */
  start(knownEpoch: number): Promise<void> {
    this.#knownEpoch = knownEpoch;
    return new Promise((resolve) => void this.#run(resolve));
  }

  /** Wants a heartbeat now, unless one is under way. While the ledger fails it comes with the next try. */
  beatNow(): void {
    if (this.#isResting) this.#wake();
  }

  /** The ledger refused a lease: none is used until a heartbeat tells how things stand. */
  suspect(): void {
    this.#isSuspect = true;
    this.#isPoked = true;
    this.beatNow();
  }

  /** Gives up this epoch and takes a new one. */
  registerAnew(): void {
    this.#isSuspect = true;
    this.#mustRegister = true;
    this.beatNow();
  }

  stop(): void {
    this.#isStopped = true;
    this.#wake();
  }

  async #run(started: () => void): Promise<void> {
    while (!this.#isStopped) {
      this.#isPoked = false;
      let isAnswered = false;
      try {
        isAnswered = await (this.#mustRegister ? this.#register() : this.#sendBeat());
        if (this.epoch > 0) started();
      } catch {
        // Down, slow or cut off: the next try tells, and until then the leases run out by themselves.
      }
      if (this.#isStopped || (isAnswered && (this.#isPoked || this.#mustRegister))) continue;
      await this.#rest(isAnswered);
    }
    started();
  }

  async #register(): Promise<boolean> {
    const sentAtMs = this.#clock.monotonicMs();
    const sentAtWallMs = this.#clock.wallMs();
    this.#registrations += 1;
    const asked = this.#ledger.registerNode(this.#nodeId, this.#knownEpoch);
    const { epoch, liveNodes } = await answerWithin(this.#clock, ANSWER_WITHIN_MS, asked);
    if (this.#isStopped) return true;
    // The ledger counts on from the higher of its epoch and ours: it knew a lower one than it once gave out.
    const isRestored = this.#wasFenced && epoch <= this.#knownEpoch + this.#registrations;
    this.epoch = epoch;
    this.#knownEpoch = epoch;
    this.#mustRegister = false;
    this.#wasFenced = false;
    this.#registrations = 0;
    this.#beat = 0;
    this.#highestAnswered = 0;
    this.#isSuspect = false;
    this.#extend(sentAtMs, sentAtWallMs, liveNodes);
    this.#events.registered(epoch);
    if (isRestored) this.#events.restored();
    this.#events.alive();
    return true;
  }

  async #sendBeat(): Promise<boolean> {
    const uses = this.#events.beating();
    const sentAtMs = this.#clock.monotonicMs();
    const sentAtWallMs = this.#clock.wallMs();
    this.#beat += 1;
    const beat = this.#beat;
    const sent = this.#ledger.heartbeat({
      nodeId: this.#nodeId,
      epoch: this.epoch,
      beat,
      uses,
      oldestUnconfirmedAtMs: this.#events.oldestUnconfirmedAtMs(),
    });
    const answer = await answerWithin(this.#clock, ANSWER_WITHIN_MS, sent);
    if (this.#isStopped || this.#mustRegister) return true;
    if (answer.kind === "fenced") {
      this.#wasFenced = true;
      this.#isSuspect = true;
      this.#mustRegister = true;
      return true;
    }
    if (answer.previousBeat < this.#highestAnswered) {
      this.#isSuspect = true;
      this.#mustRegister = true;
      this.#events.restored();
      return true;
    }
    if (!this.#isInTime(this.#clock.monotonicMs())) this.outages += 1;
    this.#highestAnswered = beat;
    this.beatsAnswered += 1;
    // Refused while the heartbeat was under way: it may have been overtaken, so the next one tells.
    if (!this.#isPoked) this.#isSuspect = false;
    this.#extend(sentAtMs, sentAtWallMs, answer.liveNodes);
    this.#events.alive();
    return true;
  }

  #extend(sentAtMs: number, sentAtWallMs: number, liveNodes: number): void {
    this.#usableUntilMs = sentAtMs + USABLE_FOR_MS;
    this.#usableUntilWallMs = sentAtWallMs + USABLE_FOR_MS;
    this.liveNodes = liveNodes;
  }

  #isInTime(nowMs: number): boolean {
    return nowMs < this.#usableUntilMs && this.#clock.wallMs() < this.#usableUntilWallMs;
  }

  #rest(isAnswered: boolean): Promise<void> {
    return new Promise((resolve) => {
      const end = (): void => {
        cancel();
        this.#isResting = false;
        this.#wake = nothing;
        resolve();
      };
      const cancel = this.#clock.after(isAnswered ? BEAT_EVERY_MS : RETRY_AFTER_MS, end);
      // A failing ledger is asked once a second, whoever is in a hurry.
      this.#isResting = isAnswered;
      this.#wake = end;
    });
  }
}

function nothing(): void {}
