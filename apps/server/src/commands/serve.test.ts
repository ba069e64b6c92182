import { readFileSync, writeFileSync } from "node:fs";
import type { TestDatabase } from "@tollgate/testkit/database.ts";
import { SIMULATED_MODELS, startServe } from "@tollgate/testkit/processes/start-instance.ts";
import { addTenant } from "@tollgate/testkit/tenants.ts";
import { test as engines } from "@tollgate/testkit/test.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { describe, expect } from "vitest";

/** Starts `tollgate serve`. The tests below share instances, except for those that stop or drain theirs. */
async function startService(database: TestDatabase, processes: number, onCleanup: (stop: () => Promise<void>) => void) {
  const { apiKey } = await addTenant(database.connect("tollgate_platform"));
  const instance = await startServe({ databaseUrl: database.connectionString, processes });
  onCleanup(async () => void (await instance.stop()));
  const { url, program, settingsFile } = instance;
  return {
    url,
    apiKey,
    program,
    settingsFile,
    gateways: () => gatewaysOf(program.pid),
    chat: (model = "sim/echo") =>
      fetch(`${url}/v1/chat/completions`, {
        method: "POST",
        headers: { "x-gw-api-key": apiKey, "content-type": "application/json", connection: "close" },
        body: JSON.stringify({ model, messages: [{ role: "user", content: "hello" }] }),
      }),
  };
}

const test = engines
  .extend("pair", { scope: "file" }, ({ database }, { onCleanup }) => startService(database, 2, onCleanup))
  .extend("single", { scope: "file" }, ({ database }, { onCleanup }) => startService(database, 1, onCleanup))
  .extend("ownPair", ({ database }, { onCleanup }) => startService(database, 2, onCleanup))
  .extend("own", ({ database }, { onCleanup }) => startService(database, 1, onCleanup));

function gatewaysOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim();
  const children = text === "" ? [] : text.split(" ").map(Number);
  return children.filter((child) => readFileSync(`/proc/${child}/cmdline`, "utf8").includes("serve-child"));
}

describe("tollgate serve", () => {
  test("accepts a key from the database in every process", async ({ pair: service }) => {
    const answers = await Promise.all(Array.from({ length: 8 }, () => service.chat()));
    expect(answers.map((answer) => answer.status)).toEqual(Array(8).fill(200));
    expect(service.gateways()).toHaveLength(2);
  });

  test("restarts a killed process and loses only the calls in that process", async ({ pair: service }) => {
    const [first] = service.gateways();
    process.kill(first as number, "SIGKILL");
    for (let call = 0; call < 5; call += 1) expect((await service.chat()).status).toBe(200);
    await waitFor(
      "a second process",
      () => service.gateways().length === 2 && !service.gateways().includes(first as number),
    );
  });

  test("queues connections while no process is running, and serves them after a restart", async ({
    single: service,
  }) => {
    const [only] = service.gateways();
    process.kill(only as number, "SIGKILL");
    expect((await service.chat()).status).toBe(200);
  });

  test("ignores an invalid file on SIGHUP and applies a valid one", async ({ single: service }) => {
    writeFileSync(service.settingsFile, "model_list: [{ model_name: broken }]\n");
    service.program.signal("SIGHUP");
    expect((await service.chat()).status).toBe(200);
    const alias = "router_settings: { model_group_alias: { parrot: sim/echo } }\n";
    writeFileSync(service.settingsFile, SIMULATED_MODELS + alias);
    service.program.signal("SIGHUP");
    await waitFor("the alias", async () => (await service.chat("parrot")).status === 200);
  });

  test("keeps a process that is starting when SIGHUP arrives, and the process applies the new settings", async ({
    single: service,
  }) => {
    const [before] = service.gateways() as [number];
    process.kill(before, "SIGKILL");
    const starting = await waitFor("another process", () => service.gateways().find((pid) => pid !== before));
    writeFileSync(
      service.settingsFile,
      `${SIMULATED_MODELS}router_settings: { model_group_alias: { macaw: sim/echo } }\n`,
    );
    service.program.signal("SIGHUP");
    await waitFor("the alias", async () => (await service.chat("macaw")).status === 200);
    expect(service.gateways()).toEqual([starting]);
  });

  test("finishes a running stream on SIGTERM and exits with 0", async ({ own: service }) => {
    const answer = await fetch(`${service.url}/v1/chat/completions`, {
      method: "POST",
      headers: { "x-gw-api-key": service.apiKey, "content-type": "application/json" },
      body: JSON.stringify({
        model: "sim/lorem?tokens=30&tps=40",
        stream: true,
        messages: [{ role: "user", content: "hello" }],
      }),
    });
    service.program.signal("SIGTERM");
    expect(await answer.text()).toMatch(/data: \[DONE\]\n\n$/);
    expect(await service.program.exited).toBe(0);
  });

  test("reports every process as not ready on SIGUSR2 but keeps serving", async ({ ownPair: service }) => {
    const readiness = async () =>
      (await fetch(`${service.url}/health/readiness`, { headers: { connection: "close" } })).status;
    expect(await readiness()).toBe(200);
    service.program.signal("SIGUSR2");
    // Either process may respond, so require a series of 503 responses that is unlikely if one process is still ready.
    let refused = 0;
    await waitFor("both processes to report not ready", async () => {
      refused = (await readiness()) === 503 ? refused + 1 : 0;
      return refused === 20;
    });
    const answers = await Promise.all(Array.from({ length: 8 }, () => service.chat()));
    expect(answers.map((answer) => answer.status)).toEqual(Array(8).fill(200));
  });

  test("aborts running requests on a second SIGTERM", async ({ own: service }) => {
    const answer = await fetch(`${service.url}/v1/chat/completions`, {
      method: "POST",
      headers: { "x-gw-api-key": service.apiKey, "content-type": "application/json" },
      body: JSON.stringify({
        model: "sim/lorem?tokens=10000&tps=10",
        stream: true,
        messages: [{ role: "user", content: "hello" }],
      }),
    });
    service.program.signal("SIGTERM");
    await waitFor("the server to exit", async () => {
      const readiness = await fetch(`${service.url}/health/readiness`, { headers: { connection: "close" } });
      return readiness.status === 503;
    });
    service.program.signal("SIGTERM");
    await service.program.exited;
    await expect(answer.text()).rejects.toThrow();
  });
});
