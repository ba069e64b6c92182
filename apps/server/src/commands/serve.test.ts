import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findFreePort } from "@tollgate/testkit/free-port.ts";
import { addTenant } from "@tollgate/testkit/tenants.ts";
import { test as base } from "@tollgate/testkit/test.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { afterEach, describe, expect } from "vitest";

const program = join(import.meta.dirname, "../../../../bin/tollgate");
const SETTINGS = 'model_list: [{ model_name: "sim/*", litellm_params: { model: "sim/*" } }]\n';

interface Service {
  readonly url: string;
  readonly apiKey: string;
  readonly process: ChildProcess;
  readonly settingsFile: string;
  /** Returns the PIDs of the gateway processes under the supervisor. */
  gateways(): number[];
  chat(model?: string): Promise<Response>;
  readonly exit: Promise<number | null>;
}

const STOP_LIMIT_MS = 10_000;
const cleanUps: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const cleanUp of cleanUps.splice(0)) await cleanUp();
});

const test = base.extend<{ serve: (processes: number) => Promise<Service> }>({
  serve: async ({ database }, use) => {
    await use(async (processes) => {
      const { apiKey } = await addTenant(database.connect("tollgate_platform"));
      const folder = mkdtempSync(join(tmpdir(), "tollgate-serve-"));
      const settingsFile = join(folder, "tollgate.yaml");
      writeFileSync(settingsFile, SETTINGS);
      const port = await findFreePort();
      const child = spawn(program, ["serve", "--config", settingsFile, "--processes", String(processes), "--json"], {
        env: {
          ...process.env,
          DATABASE_URL: database.connectionString,
          HOST: "127.0.0.1",
          PORT: String(port),
          TOLLGATE_JOURNAL_DIR: join(folder, "journal"),
          TOLLGATE_DRAIN_GRACE: "0",
          TOLLGATE_SECRET_KEY: "a secret key that only tests use",
          TOLLGATE_LOG_LEVEL: "silent",
        },
        stdio: ["ignore", "pipe", "inherit"],
      });
      const exit = new Promise<number | null>((resolve) => child.once("exit", resolve));
      cleanUps.push(async () => {
        // Stop gracefully, so that no remaining process uses the folder.
        child.kill("SIGTERM");
        const timer = setTimeout(() => child.kill("SIGKILL"), STOP_LIMIT_MS);
        await exit;
        clearTimeout(timer);
        rmSync(folder, { recursive: true, force: true });
      });
      await new Promise<void>((resolve) => child.stdout.once("data", () => resolve()));
      const url = `http://127.0.0.1:${port}`;
      return {
        url,
        apiKey,
        process: child,
        settingsFile,
        exit,
        gateways: () => gatewaysOf(child.pid as number),
        chat: (model = "sim/echo") =>
          fetch(`${url}/v1/chat/completions`, {
            method: "POST",
            headers: { "x-gw-api-key": apiKey, "content-type": "application/json", connection: "close" },
            body: JSON.stringify({ model, messages: [{ role: "user", content: "hello" }] }),
          }),
      };
    });
  },
});

function gatewaysOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
  const children = text === "" ? [] : text.split(" ").map(Number);
  return children.filter((child) => readFileSync(`/proc/${child}/cmdline`, "utf8").includes("serve-child"));
}

describe("tollgate serve", () => {
  test("accepts a key from the database in every process", async ({ serve }) => {
    const service = await serve(2);
    const answers = await Promise.all(Array.from({ length: 8 }, () => service.chat()));
    expect(answers.map((answer) => answer.status)).toEqual(Array(8).fill(200));
    expect(service.gateways()).toHaveLength(2);
  });

  test("restarts a killed process and loses only the calls in that process", async ({ serve }) => {
    const service = await serve(2);
    const [first] = service.gateways();
    process.kill(first as number, "SIGKILL");
    for (let call = 0; call < 5; call += 1) expect((await service.chat()).status).toBe(200);
    await waitFor(
      "a second process",
      () => service.gateways().length === 2 && !service.gateways().includes(first as number),
    );
  });

  test("queues connections while no process is running, and serves them after a restart", async ({ serve }) => {
    const service = await serve(1);
    const [only] = service.gateways();
    process.kill(only as number, "SIGKILL");
    expect((await service.chat()).status).toBe(200);
  });

  test("ignores an invalid file on SIGHUP and applies a valid one", async ({ serve }) => {
    const service = await serve(1);
    writeFileSync(service.settingsFile, "model_list: [{ model_name: broken }]\n");
    service.process.kill("SIGHUP");
    expect((await service.chat()).status).toBe(200);
    const alias = "router_settings: { model_group_alias: { parrot: sim/echo } }\n";
    writeFileSync(service.settingsFile, SETTINGS + alias);
    service.process.kill("SIGHUP");
    await waitFor("the alias", async () => (await service.chat("parrot")).status === 200);
  });

  test("keeps a process that is starting when SIGHUP arrives, and the process applies the new settings", async ({
    serve,
  }) => {
    const service = await serve(1);
    const [before] = service.gateways() as [number];
    process.kill(before, "SIGKILL");
    const starting = await waitFor("another process", () => service.gateways().find((pid) => pid !== before));
    writeFileSync(service.settingsFile, `${SETTINGS}router_settings: { model_group_alias: { parrot: sim/echo } }\n`);
    service.process.kill("SIGHUP");
    await waitFor("the alias", async () => (await service.chat("parrot")).status === 200);
    expect(service.gateways()).toEqual([starting]);
  });

  test("finishes a running stream on SIGTERM and exits with 0", async ({ serve }) => {
    const service = await serve(1);
    const answer = await fetch(`${service.url}/v1/chat/completions`, {
      method: "POST",
      headers: { "x-gw-api-key": service.apiKey, "content-type": "application/json" },
      body: JSON.stringify({
        model: "sim/lorem?tokens=30&tps=40",
        stream: true,
        messages: [{ role: "user", content: "hello" }],
      }),
    });
    service.process.kill("SIGTERM");
    expect(await answer.text()).toMatch(/data: \[DONE\]\n\n$/);
    expect(await service.exit).toBe(0);
  });

  test("reports every process as not ready on SIGUSR2 but keeps serving", async ({ serve }) => {
    const service = await serve(2);
    const readiness = async () =>
      (await fetch(`${service.url}/health/readiness`, { headers: { connection: "close" } })).status;
    expect(await readiness()).toBe(200);
    service.process.kill("SIGUSR2");
    // Either process may respond, so require a series of 503 responses that is unlikely if one process is still ready.
    let refused = 0;
    await waitFor("both processes to report not ready", async () => {
      refused = (await readiness()) === 503 ? refused + 1 : 0;
      return refused === 20;
    });
    const answers = await Promise.all(Array.from({ length: 8 }, () => service.chat()));
    expect(answers.map((answer) => answer.status)).toEqual(Array(8).fill(200));
  });

  test("aborts running requests on a second SIGTERM", async ({ serve }) => {
    const service = await serve(1);
    const answer = await fetch(`${service.url}/v1/chat/completions`, {
      method: "POST",
      headers: { "x-gw-api-key": service.apiKey, "content-type": "application/json" },
      body: JSON.stringify({
        model: "sim/lorem?tokens=10000&tps=10",
        stream: true,
        messages: [{ role: "user", content: "hello" }],
      }),
    });
    service.process.kill("SIGTERM");
    await waitFor("the server to exit", async () => {
      const readiness = await fetch(`${service.url}/health/readiness`, { headers: { connection: "close" } });
      return readiness.status === 503;
    });
    service.process.kill("SIGTERM");
    await service.exit;
    await expect(answer.text()).rejects.toThrow();
  });
});
