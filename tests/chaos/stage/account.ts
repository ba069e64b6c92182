import { randomBytes, randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { writeAudit } from "@tollgate/db/audit/write-audit.ts";
import { runAsAdministrator } from "@tollgate/db/tenancy.ts";
import type { Stage } from "./stage.ts";
import type { Tenant } from "./tenants.ts";

/** A response from the platform. The status is 0 if the connection broke. */
export interface PlatformAnswer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: operations have different bodies, and a wrong guess fails the cell.
  readonly body: any;
}

export interface PlatformRequest {
  readonly token?: string;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** A user who signed up, with their organization. */
export interface Account extends Tenant {
  readonly token: string;
  readonly userId: number;
}

const ASK_LIMIT_MS = 20_000;
const RETRY_PAUSE_MS = 100;

/** Platforms that are being started, because several cases can need one at the same time. */
const starting = new WeakMap<Stage["tollgate"], Promise<void>>();

/** Starts the platform unless it is already running. */
export async function openPlatform({ tollgate }: Stage): Promise<void> {
  if (!tollgate.platform.isRunning && !starting.has(tollgate)) {
    starting.set(
      tollgate,
      tollgate.platform.start().finally(() => starting.delete(tollgate)),
    );
  }
  await starting.get(tollgate);
}

/** Sends one request to the platform. */
export async function ask(
  stage: Stage,
  method: string,
  path: string,
  request: PlatformRequest = {},
): Promise<PlatformAnswer> {
  const { token, body, headers } = request;
  try {
    const response = await fetch(stage.tollgate.platformUrl + path, {
      method,
      signal: AbortSignal.timeout(ASK_LIMIT_MS),
      headers: {
        ...(token !== undefined && { authorization: `Bearer ${token}` }),
        ...(body !== undefined && { "content-type": "application/json" }),
        connection: "close",
        ...headers,
      },
      ...(body !== undefined && { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    return { status: response.status, body: text === "" ? null : JSON.parse(text) };
  } catch {
    return { status: 0, body: null };
  }
}

/** Repeats a request until there is a response, like a client that needs to know the outcome of its request. */
export async function askUntilAnswered(
  stage: Stage,
  method: string,
  path: string,
  request: PlatformRequest,
  limitMs = 60_000,
): Promise<PlatformAnswer> {
  const deadline = performance.now() + limitMs;
  for (;;) {
    const answer = await ask(stage, method, path, request);
    const isPassing =
      answer.status === 0 || answer.status >= 500 || answer.body?.details?.reason === "IDEMPOTENCY_IN_PROGRESS";
    if (!isPassing || performance.now() > deadline) return answer;
    await pause(RETRY_PAUSE_MS);
  }
}

/** Repeats a request until there is a response. Throws if the response is not a success. */
export async function requestOrThrow(stage: Stage, method: string, path: string, request: PlatformRequest = {}) {
  const answer = await askUntilAnswered(stage, method, path, request);
  if (answer.status >= 200 && answer.status < 300) return answer.body;
  throw new Error(`${method} ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
}

/** Signs up a user and creates a key through the API. */
export async function openAccount(stage: Stage): Promise<Account> {
  const email = `chaos-${randomBytes(8).toString("hex")}@example.org`;
  const signUp = await requestOrThrow(stage, "POST", "/api/auth/sign-up", {
    body: { email, password: randomUUID() },
  });
  const { token } = signUp;
  const { apiKey } = await requestOrThrow(stage, "POST", "/api/gw/api-keys", {
    token,
    body: { name: "chaos", team_id: signUp.team.id },
  });
  return {
    token,
    userId: signUp.user.id,
    organizationId: signUp.organization.id,
    teamId: signUp.team.id,
    keyId: apiKey.id,
    apiKey: apiKey.token,
    isPoor: true,
  };
}

/** Creates a platform administrator by changing the role in the database. */
export async function openAdministrator(stage: Stage): Promise<Account> {
  const account = await openAccount(stage);
  await runAsAdministrator(stage.platform, async (transaction) => {
    await transaction.updateTable("users").set({ role: "admin" }).where("id", "=", account.userId).execute();
    // The ledger of the stage is verified, and a role without an entry is a difference.
    await writeAudit(transaction, {
      organizationId: null,
      actor: { type: "system", id: null },
      action: "user.role_changed",
      target: { type: "user", id: String(account.userId) },
      before: { role: "user" },
      after: { role: "admin" },
    });
  });
  return account;
}

/** Adds or removes credit as an administrator. */
export function moveCredits(stage: Stage, administrator: Account, organizationId: string, amount: bigint) {
  return requestOrThrow(stage, "POST", `/api/admin/organizations/${organizationId}/credits`, {
    token: administrator.token,
    headers: { "idempotency-key": randomUUID() },
    body: { amount: String(amount), reason: "for the stage" },
  });
}

export async function readBalance(stage: Stage, account: Account): Promise<bigint> {
  const { usd } = await requestOrThrow(stage, "GET", "/api/balance", { token: account.token });
  return BigInt((usd.balance as string).replace(".", ""));
}
