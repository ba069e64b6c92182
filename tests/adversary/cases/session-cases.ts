import { randomBytes, randomUUID } from "node:crypto";
import { openAdministrator, openPlatform } from "../../chaos/stage/account.ts";
import type { Case, CaseContext, CaseOutcome } from "../case.ts";
import { askOrThrow, askPlatform, cookiesOf, type Person, signUpPerson } from "../client/ask-platform.ts";
import type { AdversaryStage } from "../stage/stage.ts";

export const sessionCases: readonly Case[] = [
  {
    name: "session-fixation",
    promise: "A login always opens a new session, whatever session, cookie, or ID the client brings",
    guards: "row 11",
    isQuick: true,
    run: fixSession,
  },
  {
    name: "session-ends",
    promise: "A session ends at once, with all its tokens, at sign-out, a password change, and the end of the account",
    guards: "row 11",
    isQuick: true,
    run: outliveSession,
  },
  {
    name: "token-reuse",
    promise: "A token that was replaced twice ends its session, also for the holder of the newest token",
    guards: "row 11",
    isQuick: true,
    run: reuseToken,
  },
];

const COOKIE = "tollgate_session";

const whoAmI = (stage: AdversaryStage, token: string) => askPlatform(stage, "GET", "/api/auth/me", { token });
const refresh = (stage: AdversaryStage, token: string) =>
  askPlatform(stage, "POST", "/api/auth/token/refresh", { token });

async function signIn(stage: AdversaryStage, { email, password }: Person): Promise<string> {
  const { body } = await askOrThrow(stage, "POST", "/api/auth/token", { body: { email, password } });
  return body.token;
}

const partsOf = (token: string) => token.split(".") as [string, string, string];
const claimsOf = (token: string) => JSON.parse(Buffer.from(partsOf(token)[1], "base64url").toString());

async function fixSession({ stage }: CaseContext): Promise<CaseOutcome> {
  await openPlatform(stage);
  const problems: string[] = [];
  const [victim, attacker] = [await signUpPerson(stage), await signUpPerson(stage)];
  const attackers = claimsOf(attacker.token);
  const brought: readonly (readonly [string, { headers?: Record<string, string>; extra?: object }])[] = [
    ["the attacker's session as a cookie", { headers: { cookie: `${COOKIE}=${attacker.token}` } }],
    ["a made-up cookie", { headers: { cookie: `${COOKIE}=ses_01ARZ3NDEKTSV4RRFFQ69G5FAV` } }],
    ["two cookies", { headers: { cookie: `${COOKIE}=${attacker.token}; ${COOKIE}=chosen` } }],
    ["a prefixed cookie", { headers: { cookie: `__Host-${COOKIE}=${attacker.token}` } }],
    ["a session ID in the body", { extra: { sessionId: attackers.sid ?? "ses_01ARZ3NDEKTSV4RRFFQ69G5FAV" } }],
    ["a token in the body", { extra: { token: attacker.token, jti: attackers.jti ?? randomUUID() } }],
    ["a session ID in a header", { headers: { "x-session-id": "ses_01ARZ3NDEKTSV4RRFFQ69G5FAV" } }],
  ];
  const seen = new Set<string>();
  for (const [what, { headers = {}, extra = {} }] of brought) {
    const body = { email: victim.email, password: victim.password, ...extra };
    const reply = await askPlatform(stage, "POST", "/api/auth/session", { headers, body });
    if (reply.status === 400 && Object.keys(extra).length > 0) continue;
    const token = cookiesOf(reply).get(COOKIE) ?? "";
    const me = await whoAmI(stage, token);
    const session = me.body.session?.id;
    if (reply.status !== 204 || me.body.user?.id !== victim.userId) problems.push(`${what}: login got ${reply.status}`);
    if (seen.has(session) || token === attacker.token) problems.push(`${what}: the session is not new`);
    seen.add(session);
  }
  const kept = await whoAmI(stage, attacker.token);
  if (kept.body.user?.id !== attacker.userId) problems.push("the attacker's session became another user's");
  if (seen.has(kept.body.session?.id)) problems.push("the victim signed in to the attacker's session");
  // The signature covers the claims, so that no session can be named by its ID.
  const [head, , signature] = partsOf(attacker.token);
  const forged = Buffer.from(JSON.stringify({ ...attackers, ...claimsOf(victim.token) })).toString("base64url");
  for (const token of [`${head}.${forged}.${signature}`, `${head}.${forged}.`, randomBytes(64).toString("base64url")]) {
    const { status } = await whoAmI(stage, token);
    if (status !== 401) problems.push(`a forged token was answered ${status}`);
  }
  return { calls: [], problems };
}

async function outliveSession({ stage }: CaseContext): Promise<CaseOutcome> {
  await openPlatform(stage);
  const problems: string[] = [];
  const administrator = await openAdministrator(stage);
  const expectEnded = async (after: string, ...tokens: readonly string[]) => {
    for (const token of tokens) {
      const statuses = [await whoAmI(stage, token), await refresh(stage, token)].map(({ status }) => status);
      if (statuses.some((status) => status !== 401)) problems.push(`after ${after}, a token got ${statuses.join()}`);
    }
  };
  const leaver = await signUpPerson(stage);
  const second = await signIn(stage, leaver);
  const cookie = cookiesOf(await askOrThrow(stage, "POST", "/api/auth/session", { token: second, body: {} }));
  await askOrThrow(stage, "POST", "/api/auth/logout", { token: leaver.token });
  await expectEnded("sign-out", leaver.token);
  const kept = await whoAmI(stage, second);
  if (kept.status !== 200) problems.push("sign-out ended another session");
  const newPassword = randomBytes(18).toString("base64url");
  const changed = await askOrThrow(stage, "POST", "/api/auth/password", {
    token: second,
    body: { currentPassword: leaver.password, newPassword },
  });
  if ((await whoAmI(stage, changed.body.token)).status !== 200) problems.push("the new token does not work");
  await expectEnded("a password change", second, cookie.get(COOKIE) ?? "");
  // Refreshing a replaced token, as above, ends its session.
  const fresh = await signIn(stage, { ...leaver, password: newPassword });
  const old = await askPlatform(stage, "POST", "/api/auth/token", {
    body: { email: leaver.email, password: leaver.password },
  });
  if (old.status !== 401) problems.push(`the old password was answered ${old.status}`);

  const asAdministrator = (method: string, path: string, body?: object) =>
    askOrThrow(stage, method, path, { token: administrator.token, ...(body !== undefined && { body }) });
  await asAdministrator("PATCH", `/api/admin/users/${leaver.userId}`, { role: "admin" });
  const list = () => askPlatform(stage, "GET", "/api/admin/users", { token: fresh });
  await asAdministrator("PATCH", `/api/admin/users/${leaver.userId}`, { role: "user" });
  const demoted = await list();
  if (demoted.status !== 403) problems.push(`a demoted administrator was answered ${demoted.status}`);
  await asAdministrator("PATCH", `/api/admin/users/${leaver.userId}`, { status: "disabled" });
  for (const reply of [await whoAmI(stage, fresh), await refresh(stage, fresh)]) {
    const isEnded = reply.reason === "ACCOUNT_DISABLED" || reply.reason === "SESSION_REVOKED";
    if (!isEnded) problems.push(`a disabled account was answered ${reply.status}`);
  }
  await asAdministrator("PATCH", `/api/admin/users/${leaver.userId}`, { status: "active" });
  const confirm = (await asAdministrator("GET", `/api/admin/users/${leaver.userId}`)).body.user.email;
  await asAdministrator("DELETE", `/api/admin/users/${leaver.userId}`, { confirm });
  await expectEnded("the end of the account", fresh);
  return { calls: [], problems };
}

async function reuseToken({ stage }: CaseContext): Promise<CaseOutcome> {
  await openPlatform(stage);
  const problems: string[] = [];
  const { token: stolen } = await signUpPerson(stage);
  const parallel = await Promise.all(Array.from({ length: 5 }, () => refresh(stage, stolen)));
  const next = new Set(parallel.map(({ body }) => claimsOf(body.token).jti));
  if (next.size !== 1) problems.push(`five refreshes of one token returned ${next.size} tokens`);
  const second: string = parallel[0]?.body.token;
  const third: string = (await refresh(stage, second)).body.token;
  const reused = await refresh(stage, stolen);
  if (reused.reason !== "SESSION_REVOKED") problems.push(`a replaced token was answered ${reused.status}`);
  for (const token of [second, third]) {
    const statuses = [await whoAmI(stage, token), await refresh(stage, token)].map(({ status }) => status);
    if (statuses.some((status) => status !== 401)) problems.push(`after the reuse, a token got ${statuses.join()}`);
  }
  return { calls: [], problems };
}
