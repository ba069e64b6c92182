import { type CallLog, type CallPlan, openLog } from "./call-log.ts";
import { makeCall } from "./make-call.ts";

export interface LoadOptions {
  readonly url: () => string;
  readonly rate: number;
  readonly plan: (index: number) => CallPlan;
}

const TICK_MS = 5;
/** If more calls than this are in flight, something is stuck, and further calls would only make it worse. */
const MAX_UNDER_WAY = 3_000;
/**
 * Calls that are overdue by more than this are skipped, because sending all of them after a long pause would distort
 * the load.
 */
const MAX_LATE_MS = 1_000;

/** Makes calls at a steady rate, regardless of their outcome. */
export class Load {
  readonly logs: CallLog[] = [];
  readonly #options: LoadOptions;
  readonly #underWay = new Set<Promise<void>>();
  readonly #timer: NodeJS.Timeout;
  readonly #startedAtMs = performance.now();
  #sent = 0;
  /** Number of calls that were skipped because too many calls were in flight. */
  skipped = 0;

  constructor(options: LoadOptions) {
    this.#options = options;
    this.#timer = setInterval(() => this.#sendDue(), TICK_MS);
  }

  get underWay(): number {
    return this.#underWay.size;
  }

  /** Stops making calls. Resolves when the calls in flight have finished. */
  async stop(): Promise<void> {
    clearInterval(this.#timer);
    await Promise.all(this.#underWay);
  }

  #sendDue(): void {
    const elapsedMs = performance.now() - this.#startedAtMs;
    const due = Math.floor((elapsedMs * this.#options.rate) / 1_000);
    for (; this.#sent < due; this.#sent += 1) {
      const lateMs = elapsedMs - (this.#sent * 1_000) / this.#options.rate;
      if (lateMs > MAX_LATE_MS) this.#leaveOut(this.#options.plan(this.#sent));
      else if (this.#underWay.size >= MAX_UNDER_WAY) this.skipped += 1;
      else this.#send(this.#options.plan(this.#sent));
    }
  }

  /** Records a call that this process was too late to send. */
  #leaveOut(plan: CallPlan): void {
    const log = openLog(plan);
    this.logs.push(
      Object.assign(log, { isUnsent: true, endedAtMs: log.sentAtMs, trouble: "the load generator was late" }),
    );
  }

  #send(plan: CallPlan): void {
    const call = makeCall(this.#options.url(), plan).then((log) => {
      this.logs.push(log);
      this.#underWay.delete(call);
    });
    this.#underWay.add(call);
  }
}
