import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, rm } from "node:fs/promises";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findFreePort } from "@tollgate/testkit/free-port.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";

/** The server version that tests run against, and the oldest supported version, which is Debian's 2.9.10. */
export const NATS_SERVER = join(import.meta.dirname, "../../../tools/go/bin/nats-server");
export const PACKAGED_NATS_SERVER = "/usr/sbin/nats-server";

/** A NATS server for one test. The test can kill the server and erase its data. */
export class NatsServer {
  readonly port: number;
  readonly url: string;
  readonly #program: string;
  readonly #directory: string;
  #process: ChildProcess | null = null;

  private constructor(program: string, directory: string, port: number) {
    this.#program = program;
    this.#directory = directory;
    this.port = port;
    this.url = `nats://127.0.0.1:${port}`;
  }

  /** Chooses the server's directory and port without starting the server. */
  static async prepare(program = NATS_SERVER): Promise<NatsServer> {
    return new NatsServer(program, await mkdtemp(join(tmpdir(), "tollgate-nats-")), await findFreePort());
  }

  async start(): Promise<void> {
    const flags = ["--jetstream", "--store_dir", this.#directory, "--addr", "127.0.0.1", "--port", String(this.port)];
    this.#process = spawn(this.#program, flags, { stdio: "ignore" });
    await waitFor("the log to listen", () => this.#answers());
  }

  async kill(): Promise<void> {
    const running = this.#process;
    this.#process = null;
    if (running === null || running.exitCode !== null) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    running.once("exit", () => resolve());
    running.kill("SIGKILL");
    await promise;
  }

  /** Erases all stored data, as if the disk were new. */
  async erase(): Promise<void> {
    await rm(this.#directory, { recursive: true, force: true });
  }

  async remove(): Promise<void> {
    await this.kill();
    await this.erase();
  }

  #answers(): Promise<boolean> {
    const { promise, resolve } = Promise.withResolvers<boolean>();
    const socket = connect(this.port, "127.0.0.1");
    socket.once("data", () => resolve(true));
    socket.once("error", () => resolve(false));
    return promise.finally(() => socket.destroy());
  }
}
