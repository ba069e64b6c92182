import { randomBytes, randomUUID } from "node:crypto";
import { createServer, request } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { runAsAdministrator } from "@tollgate/db/tenancy.ts";
import { ask, openAccount, openPlatform, requestOrThrow } from "../../chaos/stage/account.ts";
import type { Case, CaseContext, CaseOutcome } from "../case.ts";
import { script } from "../upstream/script.ts";

const WRONG_PASSWORDS = 8;
const RUN_LIMIT_MS = 20_000;
const IMPOSSIBLE = 1_000_000;

export const platformCases: readonly Case[] = [
  {
    name: "webhook-loopback",
    promise: "Under `serve` no customer's webhook may target this machine or a private network",
    guards: "row 6, outbound targets",
    isQuick: true,
    run: webhookLoopback,
  },
  {
    name: "organization-id",
    promise: "Changing an organization by the `id` of another one is 404 and renames nothing",
    guards: "row 8",
    isQuick: true,
    run: renameForeign,
  },
  {
    name: "account-lock",
    promise: "Wrong passwords from one address do not lock the account for its owner at another",
    guards: "row 8",
    isQuick: true,
    run: lockAccount,
  },
  {
    name: "run-usage",
    promise: "A run reports the usage that was charged, not an impossible report of the upstream",
    guards: "row 8",
    isQuick: true,
    run: runUsage,
  },
];

async function webhookLoopback({ stage }: CaseContext): Promise<CaseOutcome> {
  await openPlatform(stage);
  let reached = 0;
  const target = createServer((_request, response) => {
    reached += 1;
    response.end();
  });
  await new Promise<void>((resolve) => target.listen(0, "127.0.0.1", resolve));
  const { port } = target.address() as AddressInfo;
  const { token } = await openAccount(stage);
  const urls = [`http://127.0.0.1:${port}/`, `http://localhost:${port}/`, `http://[::1]:${port}/`, "http://10.0.0.1/"];
  const problems: string[] = [];
  for (const url of urls) {
    const { status, body } = await ask(stage, "POST", "/api/webhooks", {
      token,
      headers: { "idempotency-key": randomUUID() },
      body: { url, events: ["balance.negative"] },
    });
    if (body?.details?.reason !== "TARGET_REFUSED") problems.push(`a webhook to ${url} was answered ${status}`);
  }
  target.close();
  if (reached > 0) problems.push(`${reached} requests reached this machine`);
  return { calls: [], problems };
}

async function renameForeign({ stage }: CaseContext): Promise<CaseOutcome> {
  await openPlatform(stage);
  const [own, foreign] = [await openAccount(stage), await openAccount(stage)];
  const name = `Renamed ${randomBytes(4).toString("hex")}`;
  const { status } = await ask(stage, "PUT", "/api/gw/organizations", {
    token: own.token,
    body: { id: foreign.organizationId, name },
  });
  const problems = status === 404 ? [] : [`another organization's id was answered ${status}`];
  const renamed = await runAsAdministrator(stage.platform, (transaction) =>
    transaction.selectFrom("organizations").select("id").where("name", "=", name).execute(),
  );
  if (renamed.length > 0) problems.push("an organization was renamed");
  return { calls: [], problems };
}

async function lockAccount({ stage }: CaseContext): Promise<CaseOutcome> {
  await openPlatform(stage);
  const email = `adversary-${randomBytes(8).toString("hex")}@example.org`;
  const password = randomUUID();
  await requestOrThrow(stage, "POST", "/api/auth/sign-up", { body: { email, password } });
  for (let tries = 0; tries < WRONG_PASSWORDS; tries += 1) {
    await login(stage.tollgate.platformPort, { email, password: `wrong-${tries}` }, "127.0.0.1");
  }
  const status = await login(stage.tollgate.platformPort, { email, password }, "127.0.0.2");
  return { calls: [], problems: status === 200 ? [] : [`the owner's login was answered ${status}`] };
}

/** Logs in from one of this machine's IP addresses. */
function login(port: number, body: object, localAddress: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json", connection: "close" };
    const options = {
      method: "POST",
      host: "127.0.0.1",
      port,
      path: "/api/auth/token",
      localAddress,
      agent: false,
      headers,
    };
    const outgoing = request(options, (answer) => {
      answer.resume();
      answer.once("end", () => resolve(answer.statusCode ?? 0));
    });
    outgoing.once("error", reject);
    outgoing.end(JSON.stringify(body));
  });
}

async function runUsage(context: CaseContext): Promise<CaseOutcome> {
  const { stage } = context;
  const tenant = await context.addTenant();
  const nonce = context.nonce();
  stage.hostile.expect(nonce, script({ usage: "impossible" }));
  const post = async (method: string, path: string, body?: object) => {
    const answer = await fetch(`${stage.tollgate.url}/v1${path}`, {
      method,
      headers: { "x-gw-api-key": tenant.apiKey, "content-type": "application/json", connection: "close" },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    return (await answer.json()) as { id: string; status: string; usage: { total_tokens: number } | null };
  };
  const assistant = await post("POST", "/assistants", { model: "mind" });
  const thread = await post("POST", "/threads", { messages: [{ role: "user", content: nonce }] });
  const run = await post("POST", `/threads/${thread.id}/runs`, { assistant_id: assistant.id });
  const deadline = performance.now() + RUN_LIMIT_MS;
  for (;;) {
    const { status, usage } = await post("GET", `/threads/${thread.id}/runs/${run.id}`);
    if (status === "completed") {
      const total = usage?.total_tokens ?? 0;
      // The worker assigns the ID in the turn's usage row, so only the run's usage is compared here.
      return { calls: [], problems: total < IMPOSSIBLE ? [] : [`the run says it used ${total} tokens`] };
    }
    if (performance.now() > deadline) throw new Error(`the run is ${status}`);
    await pause(200);
  }
}
