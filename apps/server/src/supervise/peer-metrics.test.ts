import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { Agent, request } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { findFreePort } from "@tollgate/testkit/free-port.ts";
import { test } from "@tollgate/testkit/test.ts";
import { expect, onTestFinished } from "vitest";

const program = join(import.meta.dirname, "../../../../bin/tollgate");
const MASTER_KEY = "sk-master-of-metrics";
const CALLS = 40;

/** Sends a request over a new connection, so that any process may accept it. */
function ask(url: string, body: string | null): Promise<string> {
  const headers = { "x-gw-api-key": MASTER_KEY, "content-type": "application/json" };
  return new Promise((resolve, reject) => {
    const sent = request(url, { method: body === null ? "GET" : "POST", headers, agent: new Agent() }, (answer) => {
      let text = "";
      answer.setEncoding("utf8").on("data", (part: string) => {
        text += part;
      });
      answer.on("end", () => (answer.statusCode === 200 ? resolve(text) : reject(new Error(text))));
    });
    sent.on("error", reject).end(body ?? undefined);
  });
}

test("every process serves the metrics of all processes", { timeout: 60_000 }, async ({ database }) => {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-metrics-"));
  const config = join(folder, "tollgate.yaml");
  writeFileSync(config, 'model_list: [{ model_name: "sim/*", litellm_params: { model: "sim/*" } }]\n');
  writeFileSync(config, `general_settings: { master_key: ${MASTER_KEY} }\n`, { flag: "a" });
  const port = await findFreePort();
  const child = spawn(program, ["serve", "--config", config, "--processes", "3", "--roles", "gateway", "--json"], {
    env: {
      ...process.env,
      DATABASE_URL: database.connectionString,
      HOST: "127.0.0.1",
      PORT: String(port),
      TOLLGATE_JOURNAL_DIR: join(folder, "journal"),
      TOLLGATE_DRAIN_GRACE: "0",
      TOLLGATE_LOG_LEVEL: "silent",
    },
    stdio: ["ignore", "pipe", "inherit"],
  });
  const exited = new Promise((resolve) => child.once("exit", resolve));
  onTestFinished(async () => {
    child.kill("SIGTERM");
    await exited;
    rmSync(folder, { recursive: true, force: true });
  });
  await new Promise((resolve) => child.stdout.once("data", resolve));
  const origin = `http://127.0.0.1:${port}`;
  const body = JSON.stringify({ model: "sim/echo", messages: [{ role: "user", content: "hi" }] });
  await Promise.all(Array.from({ length: CALLS }, () => ask(`${origin}/v1/chat/completions`, body)));
  const pages = await Promise.all(Array.from({ length: 12 }, () => ask(`${origin}/metrics`, null)));
  for (const page of pages) {
    expect(page).toContain(`gw_requests_metric_total{model="sim/echo",team=""} ${CALLS}\n`);
    expect(page.match(/# TYPE gw_requests_metric_total /g)).toHaveLength(1);
  }
});
