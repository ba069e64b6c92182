import { createHash } from "node:crypto";
import type {
  AskSettings,
  CounterState,
  Question,
  SharedAnswer,
  SharedCounters,
} from "@tollgate/domain/limits/shared-counters.ts";
import { COUNT_SCRIPT } from "./count-script.ts";
import { SilenceWatch } from "./silence-watch.ts";

/** Timeout for a server that sends no bytes. */
const SILENCE_MS = 25;
/** Maximum time that a call waits to be counted, even if the server is busy. */
const MAX_WAIT_MS = 250;
/** A slice is 5% of the remaining limit and is leased only if it covers at least four calls. */
const SLICE_SHARE = "0.05";
const SLICE_CALLS = "4";
const VALUES_PER_COUNTER = 4;
const SCRIPT_SHA = createHash("sha1").update(COUNT_SCRIPT).digest("hex");

interface ScriptInput {
  readonly keys: string[];
  readonly arguments: string[];
}

/** The part of a Redis client that the counters use. Commands must fail immediately while it is disconnected. */
interface ScriptClient {
  readonly isReady: boolean;
  evalSha(sha: string, input: ScriptInput): Promise<unknown>;
  eval(script: string, input: ScriptInput): Promise<unknown>;
}

/** Counters in Redis. Every request runs one script, and late responses are ignored. */
export class RedisCounters implements SharedCounters {
  readonly #client: ScriptClient;
  readonly #process: string;
  readonly #watch: SilenceWatch;

  /** `process` identifies this process in the counters and must be unique among live processes. */
  constructor(client: ScriptClient, process: string, patience = { silenceMs: SILENCE_MS, maxWaitMs: MAX_WAIT_MS }) {
    this.#client = client;
    this.#process = process;
    this.#watch = new SilenceWatch(patience.silenceMs, patience.maxWaitMs);
  }

  async ask(questions: readonly Question[], settings: AskSettings): Promise<SharedAnswer> {
    const keys = questions.map((question) => question.key);
    const values = [
      String(settings.windowMs),
      this.#process,
      String(settings.slotLeaseMs),
      SLICE_SHARE,
      SLICE_CALLS,
      ...questions.flatMap(toValues),
    ];
    return readReply(await this.#watch.guard(this.#run(keys, values)), questions.length);
  }

  /**
   * Checks the store by incrementing a counter. A ping isn't enough, because a full store responds to pings but can't
   * count.
   */
  async probe(): Promise<void> {
    const key = `tollgate:limits:{probe}:${this.#process}`;
    const question = {
      kind: "window",
      key,
      maximum: 1_000,
      need: 1,
      owed: 0,
      startMs: 0,
      granted: 0,
      wantsSlice: false,
    } as const;
    await this.ask([question], { windowMs: 1_000, slotLeaseMs: 1_000 });
  }

  async #run(keys: string[], values: string[]): Promise<unknown> {
    // While Redis is unavailable, every request fails immediately. Limiters detect the outage from these failures.
    if (!this.#client.isReady) throw new Error("not connected to Redis");
    try {
      return await this.#client.evalSha(SCRIPT_SHA, { keys, arguments: values });
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith("NOSCRIPT"))) throw error;
      return this.#client.eval(COUNT_SCRIPT, { keys, arguments: values });
    }
  }
}

function toValues(question: Question): string[] {
  if (question.kind === "window") {
    const { maximum, need, owed, startMs, granted, wantsSlice } = question;
    return ["window", `${maximum}`, `${need ?? -1}`, `${owed}`, `${startMs}`, `${granted}`, wantsSlice ? "1" : "0"];
  }
  const { maximum, wantsOne, report } = question;
  return ["slots", `${maximum}`, wantsOne ? "1" : "0", report.kind === "held" ? "1" : "0", `${report.count}`, "0", "0"];
}

function readReply(reply: unknown, count: number): SharedAnswer {
  if (!isNumbers(reply) || reply.length !== 1 + count * VALUES_PER_COUNTER) {
    throw new Error("Redis returned an invalid count");
  }
  const counters: CounterState[] = [];
  for (let at = 1; at < reply.length; at += VALUES_PER_COUNTER) {
    const [startMs = 0, remainingMs = 0, used = 0, slice = 0] = reply.slice(at, at + VALUES_PER_COUNTER);
    counters.push({ startMs, remainingMs, used, slice });
  }
  return { refusedBy: reply[0] === 0 ? null : (reply[0] ?? 0) - 1, counters };
}

function isNumbers(value: unknown): value is number[] {
  return Array.isArray(value) && value.every((item) => Number.isSafeInteger(item));
}
