import { Agent, request } from "node:http";
import { setTimeout as pause } from "node:timers/promises";
import type { BilledGateway } from "./billed-gateway.fixture.ts";

/** Number of calls per status and code, such as `429 QUOTA_EXCEEDED`. */
type FloodOutcome = ReadonlyMap<string, number>;

/** Number of connections per IP address, below the gateway's limit. */
const CONNECTIONS_PER_ADDRESS = 200;
const RETRY_MS = 100;
const MAX_TRIES = 300;

/** Sends `count` calls concurrently, spread evenly over the gateways. Retries 503 responses. */
export async function flood(
  gateways: readonly BilledGateway[],
  key: string,
  count: number,
  fields: object,
): Promise<FloodOutcome> {
  const agents = new Map<string, Agent>();
  const body = JSON.stringify({ model: "flat", messages: [{ role: "user", content: "hello" }], ...fields });
  const send = async (index: number): Promise<string> => {
    const gateway = gateways[index % gateways.length] as BilledGateway;
    // Each loopback address counts as a separate client.
    const localAddress = `127.0.0.${2 + Math.floor(index / CONNECTIONS_PER_ADDRESS)}`;
    const agent = agents.get(localAddress) ?? new Agent({ keepAlive: true, localAddress });
    agents.set(localAddress, agent);
    for (let tries = 0; ; tries += 1) {
      const outcome = await post(gateway.url, agent, key, body);
      if (!outcome.startsWith("503") || tries === MAX_TRIES) return outcome;
      await pause(RETRY_MS);
    }
  };
  const outcomes = await Promise.all(Array.from({ length: count }, (_, index) => send(index)));
  for (const agent of agents.values()) agent.destroy();
  const counted = new Map<string, number>();
  for (const outcome of outcomes) counted.set(outcome, (counted.get(outcome) ?? 0) + 1);
  return counted;
}

function post(url: string, agent: Agent, key: string, body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json", "x-gw-api-key": key };
    const asked = request(`${url}/v1/chat/completions`, { method: "POST", agent, headers }, (answer) => {
      let text = "";
      answer.setEncoding("utf8");
      answer.on("data", (part: string) => {
        text += part;
      });
      answer.once("error", reject);
      answer.once("end", () => {
        const { error } = JSON.parse(text) as { error?: { code: string } };
        resolve(`${answer.statusCode}${error === undefined ? "" : ` ${error.code}`}`);
      });
    });
    asked.once("error", reject);
    asked.end(body);
  });
}
