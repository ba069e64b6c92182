import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Logger } from "@tollgate/runtime/logger.ts";
import type { PeerMessage, RelayedMessage } from "./peer-metrics.ts";
import type { ReservedSocket } from "./reserve-socket.ts";
import { RestartBackoff } from "./restart-backoff.ts";

/**
 * The semi-space's size in MiB. With 8, streams take 10 % more CPU time, because more of what they allocate survives a
 * collection. With 32, each of 9,000 open streams takes 5 KiB more memory.
 */
const SEMI_SPACE_FLAG = "--max-semi-space-size=16";
/** Makes `releaseGarbage` work. */
const COLLECTOR_FLAG = "--expose-gc";

/** A supervised process: a gateway with its index, which may host the other roles, a platform, or a worker. */
export type ChildRole =
  | {
      readonly kind: "gateway";
      readonly index: number;
      readonly hostsPlatform: boolean;
      readonly hostsWorker: boolean;
    }
  | { readonly kind: "platform" }
  | { readonly kind: "worker" };

const programs = { gateway: "./serve-child.ts", platform: "./platform-child.ts", worker: "./worker-child.ts" } as const;

interface Slot {
  readonly role: ChildRole;
  child: ChildProcess | null;
  /** True once the child serves requests. */
  isReady: boolean;
  /** True if the settings changed while the child was starting, so it may have read the old settings. */
  reloadsWhenReady: boolean;
  readonly backoff: RestartBackoff;
}

/**
 * Keeps processes running. Gateways share one listening socket. If a process crashes, only the calls in that process
 * are lost.
 */
export class Supervisor {
  readonly #socket: ReservedSocket | null;
  readonly #env: NodeJS.ProcessEnv;
  readonly #logger: Pick<Logger, "warn">;
  readonly #slots: Slot[];
  readonly #ready = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<number>();
  #isLeaving = false;
  #isStopping = false;
  /** True if a second stop request skipped the drain. */
  #isForced = false;
  #readyCount = 0;

  constructor(
    roles: readonly ChildRole[],
    socket: ReservedSocket | null,
    env: NodeJS.ProcessEnv,
    logger: Pick<Logger, "warn">,
  ) {
    this.#socket = socket;
    this.#env = env;
    this.#logger = logger;
    this.#slots = roles.map((role) => ({
      role,
      child: null,
      isReady: false,
      reloadsWhenReady: false,
      backoff: new RestartBackoff(),
    }));
  }

  /** Starts all children and resolves when all are ready. */
  async start(): Promise<void> {
    for (const index of this.#slots.keys()) this.#spawn(index);
    await this.#ready.promise;
  }

  /** Resolves with the exit code once all processes have stopped. */
  get ended(): Promise<number> {
    return this.#ended.promise;
  }

  /** Asks the children to drain. A second call kills them immediately. */
  stop(): void {
    // Send a message instead of a signal. After a signal, a child assumes that other processes take over its calls.
    this.#isForced = this.#isStopping;
    if (this.#isForced) this.#signal("SIGKILL");
    else for (const { child } of this.#slots) if (child?.connected) child.send("stop");
    this.#isStopping = true;
    this.#endIfEmpty();
  }

  /**
   * Makes gateways fail their readiness checks while they still accept calls. Also applies to processes that start
   * later.
   */
  announceLeaving(): void {
    this.#isLeaving = true;
    for (const slot of this.#slots) this.#tellLeaving(slot);
  }

  /**
   * Makes every process reload its settings. A starting process reloads when it is ready, because a signal would
   * terminate it before then.
   */
  reload(): void {
    for (const slot of this.#slots) {
      if (slot.isReady) slot.child?.kill("SIGHUP");
      else slot.reloadsWhenReady = true;
    }
  }

  #signal(signal: NodeJS.Signals): void {
    for (const { child } of this.#slots) child?.kill(signal);
  }

  /** Starts a child. If the system can't start a process now, it is tried again like a child that exited. */
  #spawn(index: number): void {
    const slot = this.#slots[index] as Slot;
    slot.backoff.start();
    try {
      this.#startChild(index, slot);
    } catch (error) {
      this.#exited(index, null, null, error);
    }
  }

  #startChild(index: number, slot: Slot): void {
    const { role } = slot;
    const program = fileURLToPath(new URL(programs[role.kind], import.meta.url));
    const listens = role.kind !== "worker";
    const flags = role.kind === "gateway" ? [SEMI_SPACE_FLAG, COLLECTOR_FLAG] : [COLLECTOR_FLAG];
    const child = spawn(process.execPath, [...flags, program], {
      env: { ...defaultEnvironmentOf(role), ...this.#env, ...environmentOf(role) },
      stdio: ["ignore", "inherit", "inherit", (listens && this.#socket?.fd) || "ignore", "ipc"],
    });
    slot.child = child;
    // Without this listener, a child that cannot be started, or a message to one that is exiting, would end the
    // supervisor and with it all other children.
    child.on("error", (error) => {
      if (child.pid === undefined) this.#exited(index, null, null, error);
    });
    child.on("message", (message: "ready" | "leaving" | PeerMessage) => {
      if (message === "leaving") return this.announceLeaving();
      if (message !== "ready") return this.#relay(index, message);
      slot.isReady = true;
      if (slot.reloadsWhenReady) child.kill("SIGHUP");
      slot.reloadsWhenReady = false;
      if (this.#isLeaving) this.#tellLeaving(slot);
      this.#readyCount += 1;
      if (this.#readyCount >= this.#slots.length) this.#ready.resolve();
    });
    child.once("exit", (code, signal) => this.#exited(index, code, signal));
  }

  #tellLeaving({ role, child }: Slot): void {
    if (role.kind === "gateway" && child?.connected) child.send("leaving");
  }

  /** Relays a message, because gateways can reach only their supervisor. */
  #relay(from: number, message: PeerMessage): void {
    const asker = this.#slots[from]?.child;
    const peers = this.#slots.filter(
      ({ role, isReady, child }, index) =>
        role.kind === "gateway" &&
        isReady &&
        child?.connected &&
        (message.to === null ? index !== from : index === message.to),
    );
    for (const { child } of peers) child?.send({ ...message, from } satisfies RelayedMessage);
    if (message.kind !== "metrics_wanted" || !asker?.connected) return;
    asker.send({ kind: "asked", id: message.id, peers: peers.length } satisfies RelayedMessage);
  }

  #exited(index: number, code: number | null, signal: NodeJS.Signals | null, error?: unknown): void {
    const slot = this.#slots[index] as Slot;
    slot.child = null;
    slot.isReady = false;
    if (this.#isStopping) return this.#endIfEmpty();
    const { durationMs, delayMs } = slot.backoff.exit(code);
    this.#logger.warn(`${slot.role.kind} process exited; restarting it`, {
      child: index,
      durationMs,
      ...(code !== null && { code }),
      ...(signal !== null && { signal }),
      ...(error !== undefined && { error }),
    });
    setTimeout(() => {
      if (!this.#isStopping) this.#spawn(index);
    }, delayMs);
  }

  #endIfEmpty(): void {
    if (this.#slots.every(({ child }) => child === null)) this.#ended.resolve(this.#isForced ? 1 : 0);
  }
}

/**
 * Returns variables that an operator can override. The worker occupies up to two of libuv's threads with lookups of
 * hosts, and half of the threads are for lookups, so with eight threads a gateway has as many as without the worker.
 */
function defaultEnvironmentOf(role: ChildRole): NodeJS.ProcessEnv {
  return role.kind === "gateway" && role.hostsWorker ? { UV_THREADPOOL_SIZE: "8" } : {};
}

function environmentOf(role: ChildRole): NodeJS.ProcessEnv {
  if (role.kind !== "gateway") return {};
  return {
    TOLLGATE_CHILD_INDEX: String(role.index),
    TOLLGATE_HOSTS_PLATFORM: String(role.hostsPlatform),
    TOLLGATE_HOSTS_WORKER: String(role.hostsWorker),
  };
}
