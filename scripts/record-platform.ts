import { randomUUID } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { findAnswerProblem, operationOf } from "../packages/testkit/src/management-api.ts";
import { startDev } from "../packages/testkit/src/processes/start-instance.ts";
import type { Operations } from "../sdks/typescript/src/platform/operations.generated.ts";
import { normalizeRecording } from "./recording/normalize-recording.ts";

// Records the answers of the management API that tests of its clients are served:
//   node scripts/record-platform.ts
// Starts `tollgate dev` with an empty data directory, plays one scenario, and writes
// packages/testkit/src/recorded-platform.generated.json. IDs, times, durations, and secrets are replaced, so that a new
// recording differs only where the API does. Run it after a change of the API.

const root = join(import.meta.dirname, "..");
const file = join(root, "packages/testkit/src/recorded-platform.generated.json");
const LIMIT_MS = 60_000;
/** The hub lists all models at once, and each one with the same long list of parameters. */
const RECORDED_HUB_MODELS = 2;

interface Input {
  readonly params?: Readonly<Record<string, string | number>>;
  readonly query?: string;
  readonly body?: object;
  readonly token?: string;
}

interface Answer {
  readonly status: number;
  readonly body: unknown;
}

const answers: Record<string, Answer> = {};
const refusals: Record<string, Answer> = {};

// Hide warnings that a slow machine causes.
const dev = await startDev({ env: { TOLLGATE_LOG_LEVEL: "error" } });
try {
  const { baseUrl, apiKey, admin } = dev;
  await play(baseUrl, apiKey, admin);
  const text = normalizeRecording({ answers, refusals }, { secrets: [apiKey, admin.password], baseUrl });
  writeFileSync(file, text);
  console.log(`${Object.keys(answers).length} answers and ${Object.keys(refusals).length} refusals in ${file}`);
} finally {
  await dev.stop();
}

/** Plays the scenario: an organization with teams, keys, members, requests, and orders, and its administration. */
async function play(baseUrl: string, apiKey: string, admin: { email: string; password: string }): Promise<void> {
  let current = "";

  async function send(id: string, { params = {}, query = "", body, token = current }: Input): Promise<Answer> {
    const { method, path } = operationOf(id);
    const filled = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])));
    const response = await fetch(`${baseUrl}${filled}${query}`, {
      method,
      headers: {
        ...(token !== "" && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { "content-type": "application/json" }),
        ...(method !== "GET" && { "idempotency-key": randomUUID() }),
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    // A slow machine may not answer in time.
    if (response.status === 503) return send(id, { params, query, ...(body !== undefined && { body }), token });
    return { status: response.status, ...(text !== "" && { body: JSON.parse(text) }) } as Answer;
  }

  /** Sends a request and keeps its answer, in place of an earlier answer of the operation. */
  async function record<Id extends keyof Operations>(id: Id, input: Input = {}): Promise<Operations[Id]["answer"]> {
    const answer = await send(id, input);
    const problem = findAnswerProblem(operationOf(id), answer.status, answer.body);
    if (problem !== null) throw new Error(`${id}: ${problem}: ${JSON.stringify(answer.body)}`);
    answers[id] = answer;
    return answer.body as Operations[Id]["answer"];
  }

  /** Sends a request that the platform refuses, and keeps the refusal by its reason. */
  async function recordRefusal(id: string, input: Input): Promise<void> {
    const answer = await send(id, input);
    const { reason } = (answer.body as { details: { reason: string } }).details;
    if (answer.status < 400) throw new Error(`${id} was not refused`);
    refusals[reason] = answer;
  }

  async function ask(key: string, model: string, content: string): Promise<void> {
    await fetch(`${baseUrl}/v1/chat/completions`, {
      method: "POST",
      headers: { "x-gw-api-key": key, "content-type": "application/json" },
      body: JSON.stringify({ model, messages: [{ role: "user", content }] }),
    });
  }

  await recordRefusal("getMe", {});
  await recordRefusal("createToken", { body: { email: admin.email, password: "not this one" } });
  current = (await record("createToken", { body: { ...admin } })).token;
  const { activeOrganizationId: id } = await record("getMe");
  const params = { id: present(id) };
  const pairing = await record("createPairing", { body: { clientName: "tollgate on recorder" }, token: "" });
  await recordRefusal("claimPairing", { body: { id: pairing.pairing.id, secret: "wrong" }, token: "" });

  // Teams and keys.
  const limits = { budget: { limit: "500000000000", period: "monthly" }, rateLimit: { rpm: 600, tpm: 90_000 } };
  const { team } = await record("createTeam", { body: { name: "Research", ...limits, models: ["sim/*"] } });
  await record("updateTeam", { params: { id: team.id }, body: { rateLimit: { maxParallel: 8 } } });
  await recordRefusal("createTeam", { body: { name: "Research" } });
  const expiresAt = new Date(Date.now() + 90 * 86_400_000).toISOString();
  const created = { name: "ci-bot", teamId: team.id, expiresAt, budget: { limit: "25000000000", period: "daily" } };
  const { apiKey: bot } = await record("createApiKey", { body: { ...created, rateLimit: { rpm: 60 } } });
  const { apiKey: web } = await record("createApiKey", { body: { name: "web-prod", teamId: team.id } });
  await record("updateApiKey", { body: { token: web.id, disabled: true } });
  const { apiKey: rotated } = await record("rotateApiKey", { body: { apiKey: bot.id, graceSeconds: 3600 } });
  await recordRefusal("getApiKey", { params: { id: "key_00000000000000000000000000" } });
  await recordRefusal("createApiKey", { body: { name: "", teamId: team.id } });

  // Requests, of which one fails.
  for (const content of ["hello", "a longer question", "the last one"])
    await ask(present(rotated.token), "sim/paid", content);
  await ask(apiKey, "sim/echo", "hello");
  await ask(apiKey, "sim/does-not-exist", "hello");
  await waitUntil(async () => (await record("listLogs", { query: "?pageSize=10" })).meta.total >= 4);
  const paid = (await record("listLogs", { query: "?pageSize=10" })).data.find(({ cost }) => cost > 0);
  await waitUntil(
    async () => (await record("getLog", { params: { id: present(paid).id } })).log.settlement?.state === "settled",
  );
  await record("listLogs", { query: "?pageSize=10" });
  await record("getUsage", { query: "?groupBy=model" });

  // Credits.
  const bought = await record("createPurchase", { body: { amount: "20000000000" } });
  const { id: orderId } = bought.purchase;
  await send("simulatePayment", { params: { id: orderId }, body: { outcome: "paid" } });
  await waitUntil(async () => (await record("checkPurchase", { params: { id: orderId } })).purchase.status === "paid");
  await record("getPurchase", { params: { id: orderId } });
  await record("createPurchase", { body: { amount: "5000000000" } });
  await record("listPurchases");

  // A second user, who joins the organization and the team.
  const password = "correct horse battery";
  const email = "bo@example.org";
  const signedUp = await record("signUp", { body: { email, password, name: "Bo" }, token: "" });
  await record("inviteOrganizationMember", { params, body: { email, role: "admin" } });
  await record("listOrganizationInvitations", { params });
  const { data: invitations } = await record("listInvitations", { token: signedUp.token });
  await record("acceptInvitation", { body: { invitationId: present(invitations[0]).id }, token: signedUp.token });
  const { data: members } = await record("listOrganizationMembers", { params });
  const { memberId, userId } = present(members.find((member) => member.email === email));
  await record("inviteTeamMember", { body: { teamId: team.id, email, role: "member" } });
  await record("updateTeamMember", { body: { teamId: team.id, memberId, role: "admin" } });
  await record("getTeam", { params: { id: team.id } });
  await record("listTeams");
  await record("listApiKeys", { query: "?status=all" });
  await record("getApiKey", { params: { id: bot.id } });
  await record("removeApiKey", { body: { apiKey: web.id } });
  await record("removeTeamMember", { body: { teamId: team.id, memberId, revokeKeys: false } });
  await record("updateOrganizationMember", { params, body: { memberId, role: "member" } });
  await record("listOrganizations");
  await record("updateActiveOrganization", { body: { organizationId: params.id } });
  await record("updateOrganization", {
    body: { billingEmail: "billing@example.org", settings: { lowBalanceThreshold: "2500000000" } },
  });
  const { webhook } = await record("createWebhook", {
    body: { url: "https://example.org/hook", events: ["balance.low", "team.blocked"] },
  });
  await record("listWebhooks");
  await record("deleteWebhook", { params: { id: webhook.id } });

  // Administration.
  await record("listUsers");
  await record("getUser", { params: { id: userId } });
  await record("listAdminOrganizations");
  await record("getAdminOrganization", { params });
  await record("createCreditTransaction", { params, body: { amount: "25000000000", reason: "pilot" } });
  await record("blockTeam", { params: { id: team.id }, body: { reason: "leaked key" } });
  await record("unblockTeam", { params: { id: team.id }, body: {} });
  const upstream = { slug: "acme", kind: "openai", baseUrl: "https://acme.example.org/v1", apiKey: "sk-recorded" };
  const { provider } = await record("createProvider", { body: upstream });
  await record("updateProvider", { params: { id: provider.id }, body: { status: "degraded" } });
  await record("listAdminProviders");
  const pricing = { inputPerMillionTokens: "250000000", outputPerMillionTokens: "1250000000" };
  const { model } = await record("createModel", {
    body: { provider: "acme", inferenceModelId: "acme-7b", id: "acme/7b", pricing },
  });
  await record("updateModel", { params: { id: model.id }, body: { status: "deprecated" } });
  const { deployments } = await record("listDeployments");
  const simulated = present(deployments.find(({ provider }) => provider !== "acme"));
  await record("testDeployment", { params: { id: simulated.id } });
  await record("deleteModel", { params: { id: model.id } });
  await record("deleteProvider", { params: { id: provider.id } });
  await record("listAdminAuditLog", { query: "?pageSize=5" });
  await record("createReconciliation");
  await record("getReconciliation");

  // The catalog, and sums that the scenario changed.
  await record("listModels", { query: "?pageSize=3" });
  await record("getModel", { params: { id: "sim/paid" } });
  await record("listProviders");
  const { models } = await record("listHubModels");
  answers.listHubModels = { status: 200, body: { models: models.slice(0, RECORDED_HUB_MODELS) } };
  await record("getBalance");
  await record("getQuota");
  await record("getBurnRate");
  await record("listCreditTransactions");

  // Changes that end something.
  await record("updateUser", { params: { id: userId }, body: { status: "disabled" } });
  await record("removeOrganizationMember", { params, body: { memberId, revokeKeys: false } });
  await record("deleteUser", { params: { id: userId } });
  await record("deleteTeam", { params: { id: team.id } });
  await record("reauthenticate", { body: { password: admin.password } });
  current = (await record("refreshToken")).token;
  await record("logout");
}

function present<Value>(value: Value | null | undefined): Value {
  if (value === undefined || value === null) throw new Error("The scenario misses a record.");
  return value;
}

async function waitUntil(isTrue: () => Promise<boolean>): Promise<void> {
  const until = Date.now() + LIMIT_MS;
  while (!(await isTrue())) {
    if (Date.now() > until) throw new Error("The platform did not get that far in a minute.");
    await pause(200);
  }
}
