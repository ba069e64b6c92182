import { type ApiAnswer, type ApiRequest, createApi } from "@tollgate/testkit/api-client.ts";
import { querySql } from "@tollgate/testkit/database.ts";
import { canaries } from "./canaries.ts";
import type { Received } from "./make-calls.ts";
import type { Installation } from "./start-installation.ts";

/** A user's session on the platform, and the secrets that the platform issued to the user. */
export interface PlatformVisit {
  readonly apiKey: string;
  /** Secrets that are shown once and must not appear anywhere else. */
  readonly issued: Readonly<Record<string, string>>;
  readonly received: readonly Received[];
}

const EMAIL = "canary@example.org";
const ENOUGH_CREDIT = "5000000000";

/**
 * Signs up, logs in with correct and wrong passwords, changes the password, creates and rotates keys, saves a provider,
 * and reads all of these records.
 */
export async function usePlatform({ url, administratorUrl }: Installation): Promise<PlatformVisit> {
  const api = createApi(url);
  const received: Received[] = [];
  /** Sends a request and records its response, unless the response issues a secret. */
  const ask = async (method: string, path: string, request: ApiRequest = {}, isSecret = false): Promise<ApiAnswer> => {
    const answer = await api(method, path, request);
    const { status, headers, text } = answer;
    const head = [...headers].filter(([name]) => name !== "set-cookie").map((pair) => pair.join(": "));
    const shown = isSecret && status < 400 ? "" : text;
    received.push({ what: `${method} ${path}`, status, bytes: Buffer.from(`${head.join("\n")}\n\n${shown}`) });
    return answer;
  };
  const { password, "new password": newPassword, "wrong password": wrong } = canaries;

  const signedUp = await ask("POST", "/api/auth/sign-up", { body: { email: EMAIL, password } }, true);
  if (signedUp.status !== 201) throw new Error(`signing up: ${signedUp.status} ${signedUp.text}`);
  await querySql(administratorUrl, `update users set role = 'admin' where email = '${EMAIL}'`);
  await ask("POST", "/api/auth/token", { body: { email: EMAIL, password: wrong } });
  await ask("POST", "/api/auth/token", { body: { email: EMAIL, password: [wrong] } });
  await ask("POST", "/api/auth/token", { body: `{"email":"${EMAIL}","password":"${wrong}` });
  await ask("POST", "/api/auth/sign-up", { body: { email: EMAIL, password: wrong } });
  await ask("POST", "/api/auth/password/forgot", { body: { email: EMAIL } });
  await ask("POST", "/api/auth/password/reset", { body: { token: wrong, newPassword: wrong } });
  const first = (await ask("POST", "/api/auth/token", { body: { email: EMAIL, password } }, true)).body.token as string;
  await ask("POST", "/api/auth/password", { token: first, body: { currentPassword: wrong, newPassword } });
  await ask("POST", "/api/auth/password", { token: first, body: { currentPassword: password, newPassword } }, true);
  const login = await ask("POST", "/api/auth/token", { body: { email: EMAIL, password: newPassword } }, true);
  const token = login.body.token as string;
  await ask("POST", "/api/auth/reauthenticate", { token, body: { password: newPassword } }, true);

  const teamId = signedUp.body.team.id as string;
  const made = await ask("POST", "/api/gw/api-keys", { token, body: { name: "canary", team_id: teamId } }, true);
  const oldKey = made.body.apiKey.token as string;
  const rotated = await ask("POST", "/api/api-keys/rotate", { token, body: { apiKey: made.body.apiKey.id } }, true);
  const apiKey = rotated.body.apiKey.token as string;
  await ask("POST", "/api/api-keys/remove", { token, body: { apiKey: oldKey } });

  const provider = {
    slug: "canary",
    kind: "fireworks_ai",
    apiKey: canaries["provider key that an administrator saved"],
  };
  await ask("POST", "/api/admin/providers", { token, body: provider });
  await ask("POST", "/api/admin/providers", { token, body: { ...provider, kind: "unknown-kind" } });
  const webhook = { url: "https://hooks.example/canary", events: ["credit.low"] };
  await ask("POST", "/api/webhooks", { token, body: webhook }, true);
  const organization = signedUp.body.organization.id as string;
  await ask("POST", `/api/admin/organizations/${organization}/credits`, {
    token,
    headers: { "idempotency-key": "canary-credit" },
    body: { amount: ENOUGH_CREDIT, reason: "to call paid models" },
  });
  for (const path of [
    "/api/auth/me",
    "/api/auth/sessions",
    "/api/api-keys",
    "/api/admin/providers",
    "/api/admin/users",
    "/api/admin/audit-log",
    "/api/gw/audit-log",
    "/api/gw/messages",
    "/api/webhooks",
    `/api/gw/organizations/${organization}/export`,
  ]) {
    await ask("GET", path, { token });
  }
  const issued = { "client key": apiKey, "client key before": oldKey, "session token": token, "session before": first };
  return { apiKey, issued, received };
}
