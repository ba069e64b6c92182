import { createHash, randomUUID } from "node:crypto";
import type { RouteStates } from "@tollgate/domain/routing/route-states.ts";
import type { SessionPin, SessionPins } from "@tollgate/domain/routing/session-pins.ts";
import type { CooldownListener, TargetState } from "@tollgate/domain/routing/target-state.ts";
import { openRedisClient, type RedisClient } from "./open-redis-client.ts";
import { ROUTING_SCRIPT } from "./routing-script.ts";

const INTERVAL_MS = 250;
/**
 * Interval while no calls are in flight. A replica without calls chooses no deployments, so what it misses can affect
 * only the first calls after a pause.
 */
const IDLE_INTERVAL_MS = 2_000;
const MINUTE_MS = 60_000;
/**
 * Maximum difference between two reads of the same cooldown, caused by network latency. A larger difference means a new
 * cooldown.
 */
const SAME_REST_MS = 300;
const COOLDOWNS_KEY = "tollgate:{routing}:cooldowns";
const PINS_KEY = "tollgate:{routing}:pins";
const SCRIPT_SHA = createHash("sha1").update(ROUTING_SCRIPT).digest("hex");

/** Counts sent in one exchange. If the exchange fails, the counts are added back. */
interface Sent {
  readonly state: TargetState;
  readonly requests: number;
  readonly tokens: number;
}

interface Reply {
  readonly counts: ReadonlyMap<string, number>;
  /** Remaining milliseconds by deployment. */
  readonly rests: ReadonlyMap<string, number>;
  /** Entries of the stream of pins, oldest first: the ID, the replica, and its pins. */
  readonly pins: readonly (readonly [id: string, replica: string, pins: string])[];
}

/**
 * Shares cooldowns, the current minute's deployment counts, and the deployments of sessions between replicas. One
 * exchange runs at a time: every 250 ms while calls are in flight, otherwise every two seconds, and as soon as a cooldown
 * or the first call begins. While Redis is unavailable, each process uses its own state. Unsent data amounts to a few
 * numbers per deployment, which expire at the end of their minute, and a limited number of pins, which are only advice.
 */
export class SharedRouting implements CooldownListener {
  readonly #client: RedisClient;
  readonly #now: () => number;
  readonly #replica = randomUUID();
  #states: RouteStates | null = null;
  #pins: SessionPins | null = null;
  /** The last entry of the stream of pins that was read. */
  #lastEntry = "";
  #timer: NodeJS.Timeout | null = null;
  #isIdle = true;
  /** True if a first call has begun since the last scheduled exchange. It may have ended since. */
  #hadCalls = false;
  #isUnderWay = false;
  #isDue = false;
  /** Cooldowns that began in this process and have not been sent yet, with their end times. */
  #untold = new Map<TargetState, number>();
  /** End times of all cooldowns that were sent or received, so that no cooldown starts twice. */
  readonly #known = new Map<string, number>();

  constructor(url: string, now: () => number = Date.now) {
    this.#now = now;
    // The exchanges themselves show whether the connection works.
    this.#client = openRedisClient(url, { pings: false });
  }

  /** Starts sharing these deployment states and pins with the other replicas. */
  start(states: RouteStates, pins: SessionPins | null = null): void {
    this.#states = states;
    this.#pins = pins;
    this.#schedule();
  }

  /** Exchanges state immediately and then often, because a first call is in flight. */
  wake(): void {
    this.#hadCalls = true;
    if (!this.#isIdle || this.#states === null) return;
    this.#isIdle = false;
    this.#schedule();
    void this.#exchange();
  }

  onCooled(state: TargetState): void {
    this.#untold.set(state, state.cooledUntilMs);
    this.#known.set(state.id, state.cooledUntilMs);
    void this.#exchange();
  }

  close(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    this.#states = null;
    this.#client.destroy();
  }

  #schedule(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    const exchange = () => {
      this.#isIdle = !this.#hadCalls && !this.#hasCalls();
      this.#hadCalls = false;
      this.#schedule();
      void this.#exchange();
    };
    this.#timer = setTimeout(exchange, this.#isIdle ? IDLE_INTERVAL_MS : INTERVAL_MS).unref();
  }

  #hasCalls(): boolean {
    for (const { inFlight } of this.#states?.targets() ?? []) if (inFlight > 0) return true;
    return false;
  }

  /**
   * Sends and receives state. If an exchange is already in progress, an unsent cooldown schedules another exchange.
   * Never rejects.
   */
  async #exchange(): Promise<void> {
    const states = this.#states;
    if (states === null || !this.#client.isReady) return;
    if (this.#isUnderWay) {
      this.#isDue = this.#untold.size > 0;
      return;
    }
    this.#isUnderWay = true;
    const nowMs = this.#now();
    const minute = Math.floor(nowMs / MINUTE_MS);
    const sent = takeCounts(states, nowMs);
    const rests = this.#untold;
    this.#untold = new Map();
    const pins = [this.#replica, writePins(this.#pins?.takeUnsent() ?? []), this.#lastEntry];
    try {
      this.#learn(readReply(await this.#ask(minute, [...pins, ...toValues(sent, rests, nowMs)])), minute);
    } catch {
      this.#putBack(sent, rests, minute);
    }
    this.#isUnderWay = false;
    if (!this.#isDue) return;
    this.#isDue = false;
    void this.#exchange();
  }

  async #ask(minute: number, values: string[]): Promise<unknown> {
    const call = { keys: [COOLDOWNS_KEY, `tollgate:{routing}:minute:${minute}`, PINS_KEY], arguments: values };
    try {
      return await this.#client.evalSha(SCRIPT_SHA, call);
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith("NOSCRIPT"))) throw error;
      return this.#client.eval(ROUTING_SCRIPT, call);
    }
  }

  #learn({ counts, rests, pins }: Reply, minute: number): void {
    const nowMs = this.#now();
    for (const [id, replica, text] of pins) {
      if (id === this.#lastEntry) continue;
      this.#lastEntry = id;
      // This process may have moved its own sessions since.
      if (replica !== this.#replica) this.#pins?.learn(readPins(text), nowMs);
    }
    for (const state of this.#states?.targets() ?? []) {
      if (!state.isShared) continue;
      state.setTotals(minute, counts.get(`${state.id}:requests`) ?? 0, counts.get(`${state.id}:tokens`) ?? 0);
    }
    for (const [id, leftMs] of rests) {
      const untilMs = nowMs + leftMs;
      if (untilMs <= (this.#known.get(id) ?? 0) + SAME_REST_MS) continue;
      this.#known.set(id, untilMs);
      this.#states?.find(id)?.coolElsewhere(untilMs);
    }
    for (const [id, untilMs] of this.#known) if (untilMs + SAME_REST_MS < nowMs) this.#known.delete(id);
  }

  #putBack(sent: readonly Sent[], rests: ReadonlyMap<TargetState, number>, minute: number): void {
    const nowMs = this.#now();
    for (const { state, requests, tokens } of sent) state.putBack(minute, requests, tokens);
    for (const [state, untilMs] of rests) {
      if (untilMs > nowMs && !this.#untold.has(state)) this.#untold.set(state, untilMs);
    }
  }
}

function takeCounts(states: RouteStates, nowMs: number): readonly Sent[] {
  const sent: Sent[] = [];
  for (const state of states.targets()) {
    if (!state.isShared) continue;
    const { requests, tokens } = state.takeUnsent(nowMs);
    if (requests > 0 || tokens > 0) sent.push({ state, requests, tokens });
  }
  return sent;
}

function toValues(sent: readonly Sent[], rests: ReadonlyMap<TargetState, number>, nowMs: number): string[] {
  const values = [String(sent.length * 2)];
  for (const { state, requests, tokens } of sent) {
    values.push(`${state.id}:requests`, `${requests}`, `${state.id}:tokens`, `${tokens}`);
  }
  for (const [state, untilMs] of rests) if (untilMs > nowMs) values.push(state.id, `${Math.ceil(untilMs - nowMs)}`);
  return values;
}

/** Writes pins as text: each deployment with its sessions. */
function writePins(pins: readonly SessionPin[]): string {
  if (pins.length === 0) return "";
  const byTarget = Map.groupBy(pins, ({ targetId }) => targetId);
  return JSON.stringify([...byTarget].map(([id, of]) => [id, ...of.map(({ session }) => session)]));
}

function* readPins(text: string): Generator<SessionPin> {
  const lists = JSON.parse(text) as readonly (readonly [string, ...number[]])[];
  for (const [targetId, ...sessions] of lists) for (const session of sessions) yield { session, targetId };
}

function readReply(reply: unknown): Reply {
  if (!Array.isArray(reply) || reply.length !== 3) throw new Error("Redis returned an invalid routing state");
  return { counts: readPairs(reply[0]), rests: readPairs(reply[1]), pins: readEntries(reply[2]) };
}

/** Reads stream entries, oldest first. The first exchange returns the latest ones, newest first. */
function readEntries(list: unknown): Reply["pins"] {
  if (!Array.isArray(list)) return [];
  const entries = (list as readonly [string, readonly string[]][]).map(
    ([id, [replica = "", pins = "[]"]]) => [id, replica, pins] as const,
  );
  return entries.toSorted(([one], [other]) => compareEntries(one, other));
}

/** Compares stream IDs, which are a time and a number within that time. */
function compareEntries(one: string, other: string): number {
  const [oneMs = 0, oneNumber = 0] = one.split("-").map(Number);
  const [otherMs = 0, otherNumber = 0] = other.split("-").map(Number);
  return oneMs - otherMs || oneNumber - otherNumber;
}

function readPairs(list: unknown): Map<string, number> {
  const pairs = new Map<string, number>();
  if (!Array.isArray(list)) return pairs;
  for (let at = 0; at + 1 < list.length; at += 2) {
    const value = Number(list[at + 1]);
    if (Number.isFinite(value)) pairs.set(String(list[at]), value);
  }
  return pairs;
}
