import { Agent, request } from "node:http";
import { SIMULATED_MODELS, startServe } from "@tollgate/testkit/processes/start-instance.ts";
import { test } from "@tollgate/testkit/test.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { expect, onTestFinished } from "vitest";

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

test("every process serves the metrics of all processes", async ({ database }) => {
  const instance = await startServe({
    databaseUrl: database.connectionString,
    settings: `${SIMULATED_MODELS}general_settings: { master_key: ${MASTER_KEY} }\n`,
    processes: 3,
    roles: "gateway",
  });
  onTestFinished(async () => void (await instance.stop()));
  const origin = instance.url;
  const body = JSON.stringify({ model: "sim/echo", messages: [{ role: "user", content: "hi" }] });
  await Promise.all(Array.from({ length: CALLS }, () => ask(`${origin}/v1/chat/completions`, body)));
  // A scrape fails if a process doesn't report within two seconds, as on a starved machine. The next one succeeds.
  const scrape = () => waitFor("the metrics", () => ask(`${origin}/metrics`, null));
  const pages = await Promise.all(Array.from({ length: 12 }, scrape));
  for (const page of pages) {
    expect(page).toContain(`gw_requests_metric_total{model="sim/echo",team=""} ${CALLS}\n`);
    expect(page.match(/# TYPE gw_requests_metric_total /g)).toHaveLength(1);
  }
});
