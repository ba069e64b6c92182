import { answerWithin } from "./answer-within.ts";
import type { LeaseUse } from "./lease-messages.ts";
import type { Clock, CreditLedger } from "./ports.ts";

const BEAT_EVERY_MS = 10_000;
const RETRY_AFTER_MS = 1_000;
const ANSWER_WITHIN_MS = 5_000;
/**
 * How long a node may use its leases after a heartbeat: two seconds less than the 30 seconds after which the ledger no
 * longer counts the node as alive.
 */
const USABLE_FOR_MS = 28_000;

/** Callbacks for a node's heartbeats and registrations. */
interface HeartbeatHooks {
  /** Called before a heartbeat to clean up and return the usage of the leases. */
  beating(): readonly LeaseUse[];
  /** Called when the ledger has answered and leases may be used. */
  alive(): void;
  /** Called after registration under a new epoch, when earlier leases are lost. */
  registered(epoch: number): void;
  /** Called when the database is older than this node's state. */
  restored(): void;
  oldestUnconfirmedAtMs(): number | null;
}

/** Keeps a node registered with the ledger, and tracks how long it may use its leases. */
export class NodeHeartbeat {
  epoch = 0;
  liveNodes = 1;
  beatsAnswered = 0;
  /**
   * Number of times that the leases expired before a heartbeat was answered. Some of these leases may have been
   * reclaimed.
   */
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

  /** Reports whether leases may be used at this monotonic time. */
  isUsable(nowMs: number): boolean {
    return nowMs < this.#usableUntilMs && this.#clock.wallMs() < this.#usableUntilWallMs && !this.#isSuspect;
  }

  /** Registers and sends heartbeats until stopped. Resolves after the first registration, or when stopped. */
  start(knownEpoch: number): Promise<void> {
    this.#knownEpoch = knownEpoch;
    return new Promise((resolve) => void this.#run(resolve));
  }

  /** Sends a heartbeat now, unless one is in flight. While the ledger fails, the heartbeat waits for the next retry. */
  beatNow(): void {
    if (this.#isResting) this.#wake();
  }

  /** Stops using leases until the next heartbeat, because the ledger refused a lease. */
  suspect(): void {
    this.#isSuspect = true;
    this.#isPoked = true;
    this.beatNow();
  }

  /** Abandons this epoch and registers a new one. */
  registerAnew(): void {
    this.#isSuspect = true;
    this.#mustRegister = true;
    this.beatNow();
  }

  stop(): void {
    this.#isStopped = true;
    this.#wake();
  }

  /** Reports after the stop what is still unconfirmed. Otherwise, the ledger would keep the last heartbeat's value. */
  async reportAtEnd(): Promise<void> {
    this.#beat += 1;
    const oldestUnconfirmedAtMs = this.#events.oldestUnconfirmedAtMs();
    const { epoch } = this;
    await this.#ledger.heartbeat({ nodeId: this.#nodeId, epoch, beat: this.#beat, uses: [], oldestUnconfirmedAtMs });
  }

  async #run(started: () => void): Promise<void> {
    while (!this.#isStopped) {
      this.#isPoked = false;
      let isAnswered = false;
      try {
        isAnswered = await (this.#mustRegister ? this.#register() : this.#sendBeat());
        if (this.epoch > 0) started();
      } catch {
        // The ledger is down, slow, or unreachable. Retry, and let the leases expire in the meantime.
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
    // The ledger issues the epoch after the higher of its own epoch and this node's. If the ledger fenced this node,
    // but this node's registrations alone explain the new epoch, the ledger was restored to an earlier state.
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
    // If a lease was refused during this heartbeat, the answer may be outdated, so wait for the next heartbeat.
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
      // Retry a failing ledger once per second, even for urgent calls.
      this.#isResting = isAnswered;
      this.#wake = end;
    });
  }
}

function nothing(): void {}
