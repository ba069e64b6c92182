import { setTimeout as pause } from "node:timers/promises";
import {
  type DevReady,
  type DevInstance as RunningDev,
  startDev,
} from "../../../packages/testkit/src/processes/start-instance.ts";
import type { Release } from "./release.ts";

const MAX_TRIES = 20;
const RETRY_MS = 1_000;

/** A `tollgate dev` process from any release, with its data folder. */
export class DevInstance {
  readonly url: string;
  readonly admin: DevReady["admin"];
  readonly #dev: RunningDev;

  private constructor(dev: RunningDev) {
    this.url = dev.baseUrl;
    this.admin = dev.admin;
    this.#dev = dev;
  }

  static async start({ program }: Release, folder: string, settings: string, port: number): Promise<DevInstance> {
    return new DevInstance(await startDev({ command: [program], folder, settings, port, env: { HOME: folder } }));
  }

  async stop(): Promise<void> {
    const code = await this.#dev.stop();
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
