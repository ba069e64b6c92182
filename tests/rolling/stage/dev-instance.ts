import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { setTimeout as pause } from "node:timers/promises";
import { undoAtExit } from "../../../packages/testkit/src/processes/clean-up.ts";
import type { Release } from "./release.ts";

/** Line that `tollgate dev --json` prints when it is ready. */
interface DevLine {
  readonly baseUrl: string;
  readonly admin: { readonly email: string; readonly password: string };
}

const START_LIMIT_MS = 120_000;
const MAX_TRIES = 20;
const RETRY_MS = 1_000;

/** A `tollgate dev` process from any release, with its data folder. */
export class DevInstance {
  readonly url: string;
  readonly admin: DevLine["admin"];
  readonly #process: ChildProcess;

  private constructor({ baseUrl, admin }: DevLine, child: ChildProcess) {
    this.url = baseUrl;
    this.admin = admin;
    this.#process = child;
  }

  static async start(
    { program }: Release,
    dataFolder: string,
    settingsFile: string,
    port: number,
  ): Promise<DevInstance> {
    const args = ["dev", "--json", "--data", dataFolder, "--config", settingsFile, "--port", String(port)];
    const env = { PATH: process.env.PATH, HOME: dataFolder };
    const child = spawn(program, args, { env, stdio: ["ignore", "pipe", "inherit"] });
    undoAtExit(() => child.kill("SIGKILL"));
    const limit = setTimeout(() => child.kill("SIGKILL"), START_LIMIT_MS);
    try {
      for await (const line of createInterface({ input: child.stdout }))
        return new DevInstance(JSON.parse(line), child);
    } finally {
      clearTimeout(limit);
    }
    throw new Error(`${program} dev ended before it was ready`);
  }

  async stop(): Promise<void> {
    const ended = once(this.#process, "exit");
    this.#process.kill("SIGTERM");
    const [code] = await ended;
    if (code !== 0) throw new Error(`dev left with code ${code}`);
  }

  /**
   * Sends a request that must succeed, and returns the response body. Retries, because an instance can be busy right
   * after startup.
   */
  async ask<Body>(method: string, path: string, token: string, body?: unknown): Promise<Body> {
    for (let tries = 1; ; tries += 1) {
      const answer = await this.#askOnce(method, path, token, body);
      const text = await answer.text();
      if (answer.ok) return JSON.parse(text) as Body;
      if (answer.status !== 503 || tries === MAX_TRIES)
        throw new Error(`${method} ${path}: ${answer.status} ${text.slice(0, 500)}`);
      await pause(RETRY_MS);
    }
  }

  #askOnce(method: string, path: string, token: string, body: unknown): Promise<Response> {
    return fetch(this.url + path, {
      method,
      headers: {
        authorization: `Bearer ${token}`,
        connection: "close",
        ...(body !== undefined && { "content-type": "application/json" }),
        ...(path.startsWith("/api/admin/") && { "idempotency-key": crypto.randomUUID() }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
  }
}
