import { connect, createServer, type Server, type Socket } from "node:net";
import { setTimeout as pause } from "node:timers/promises";

/** Port of an instance, and whether it receives connections. */
interface Endpoint {
  readonly port: number;
  isReady: boolean;
}

export interface BalancerTimes {
  /** Interval between readiness probes. */
  readonly probeMs: number;
  /** Delay until a change takes effect for new connections. */
  readonly spreadMs: number;
}

/** An instance that leaves refuses the probe or reports that it isn't ready, so this limit only ends one that hangs. */
const PROBE_LIMIT_MS = 60_000;

/**
 * Distributes connections across the ready instances, like a Kubernetes service: per connection rather than per
 * request, with a delay after changes, and without retrying another instance.
 */
export class Balancer {
  readonly #endpoints: Endpoint[];
  readonly #times: BalancerTimes;
  readonly #server: Server;
  readonly #sockets = new Set<Socket>();
  #next = 0;
  #isClosed = false;

  private constructor(ports: readonly number[], times: BalancerTimes) {
    this.#endpoints = ports.map((port) => ({ port, isReady: false }));
    this.#times = times;
    this.#server = createServer({ allowHalfOpen: true }, (client) => this.#join(client));
  }

  static async listen(port: number, ports: readonly number[], times: BalancerTimes): Promise<Balancer> {
    const balancer = new Balancer(ports, times);
    await new Promise<void>((resolve) => balancer.#server.listen(port, "127.0.0.1", resolve));
    for (const endpoint of balancer.#endpoints) void balancer.#watch(endpoint);
    return balancer;
  }

  /** Ports that currently receive connections. */
  get ready(): readonly number[] {
    return this.#endpoints.filter(({ isReady }) => isReady).map(({ port }) => port);
  }

  async awaitReady(port: number, limitMs = 60_000): Promise<void> {
    const deadline = performance.now() + limitMs;
    while (!this.ready.includes(port)) {
      if (performance.now() > deadline) throw new Error(`the instance at ${port} does not become ready`);
      await pause(20);
    }
  }

  close(): void {
    this.#isClosed = true;
    this.#server.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  async #watch(endpoint: Endpoint): Promise<void> {
    while (!this.#isClosed) {
      const isReady = await askReadiness(endpoint.port);
      if (isReady !== endpoint.isReady) {
        await pause(this.#times.spreadMs);
        endpoint.isReady = isReady;
      }
      await pause(this.#times.probeMs);
    }
  }

  #join(client: Socket): void {
    const ready = this.ready;
    const port = ready[this.#next++ % Math.max(ready.length, 1)];
    if (port === undefined) return void client.destroy();
    const instance = connect({ port, host: "127.0.0.1", allowHalfOpen: true, noDelay: true });
    for (const [one, other] of [
      [client, instance],
      [instance, client],
    ] as const) {
      this.#sockets.add(one);
      one.pipe(other);
      one.on("error", () => other.resetAndDestroy());
      one.on("close", () => {
        this.#sockets.delete(one);
        other.destroySoon();
      });
    }
  }
}

async function askReadiness(port: number): Promise<boolean> {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}/health/readiness`, {
      headers: { connection: "close" },
      signal: AbortSignal.timeout(PROBE_LIMIT_MS),
    });
    await answer.text();
    return answer.status === 200;
  } catch {
    return false;
  }
}
