import { randomBytes, randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import { type Api, type ApiAnswer, createApi } from "@tollgate/testkit/api-client.ts";
import { startDev } from "@tollgate/testkit/processes/start-instance.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";

/** The product as a user starts it: platform, gateway, and worker with a database, over HTTP. */
export interface RunningPlatform {
  readonly url: string;
  readonly dataDir: string;
  readonly webhookSecret: string;
  readonly api: Api;
  chat(key: string, options?: ChatOptions): Promise<ApiAnswer>;
  signUp(): Promise<Person>;
  administrator(): Promise<string>;
  balanceOf(person: Person): Promise<bigint>;
  /** Adds or removes credit as an administrator. */
  moveCredits(person: Person, amount: bigint): Promise<void>;
  settled(person: Person, balance: bigint): Promise<void>;
  stop(): Promise<void>;
}

export interface ChatOptions {
  readonly model?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface Person {
  readonly token: string;
  readonly userId: number;
  readonly email: string;
  readonly organizationId: string;
  readonly teamId: string;
}

/** An instance that lags refuses more than 32 reads within 250 ms, so a loop of requests must be slower. */
const PAUSE_MS = 10;

/** Each token of this model costs ten cents, so that a few words make the balance negative. */
const settings = (webhookSecret: string) => `
model_list:
  - model_name: expensive
    litellm_params: { model: sim/echo, input_cost_per_token: 0.1, output_cost_per_token: 0.1 }
billing: { admission: positive, overdraft: 10000000000, minPurchase: 0.01, stripe: { webhookSecrets: [${webhookSecret}] } }
`;

export async function startRunningPlatform(): Promise<RunningPlatform> {
  const webhookSecret = `whsec_${randomBytes(24).toString("hex")}`;
  const env = { TOLLGATE_LOG_LEVEL: "warn" };
  const tollgate = await startDev({ settings: settings(webhookSecret), env });
  const url = tollgate.baseUrl;
  const send = createApi(url);
  const ask: Api = async (...request) => {
    await pause(PAUSE_MS);
    return send(...request);
  };
  const administrator = async () =>
    (await ask("POST", "/api/auth/token", { body: tollgate.admin })).body.token as string;
  const balanceOf = async ({ token }: Person) => {
    const { body } = await ask("GET", "/api/balance", { token });
    return BigInt((body.usd.balance as string).replace(".", ""));
  };
  return {
    url,
    dataDir: tollgate.dataDir,
    webhookSecret,
    api: ask,
    chat: (key, { model = "expensive", headers } = {}) =>
      ask("POST", "/v1/chat/completions", {
        headers: headers ?? { "x-gw-api-key": key },
        body: { model, messages: [{ role: "user", content: "three little words" }], max_tokens: 8 },
      }),
    signUp: async () => {
      const email = `user-${randomBytes(6).toString("hex")}@example.org`;
      const { status, body, text } = await ask("POST", "/api/auth/sign-up", {
        body: { email, password: randomUUID() },
      });
      if (status !== 201) throw new Error(text);
      return {
        token: body.token,
        userId: body.user.id,
        email,
        organizationId: body.organization.id,
        teamId: body.team.id,
      };
    },
    administrator,
    balanceOf,
    moveCredits: async ({ organizationId }, amount) => {
      const { status, text } = await ask("POST", `/api/admin/organizations/${organizationId}/credits`, {
        token: await administrator(),
        headers: { "idempotency-key": randomUUID() },
        body: { amount: String(amount), reason: "for this test" },
      });
      if (status !== 201) throw new Error(text);
    },
    settled: (person, balance) =>
      waitFor(`a balance of ${balance}`, async () => (await balanceOf(person)) === balance).then(() => {}),
    stop: async () => {
      await tollgate.stop();
    },
  };
}
