import { managementOperations } from "@tollgate/platform/operations.ts";
import { startTestPlatform } from "@tollgate/platform/platform.fixture.ts";
import { test } from "@tollgate/testkit/test.ts";
import { expect, onTestFinished } from "vitest";
import { Random } from "../../random.ts";
import { sketchRequest } from "../sketch-request.ts";
import { aimedRequests } from "./aimed-requests.ts";
import { furnish, type TenantObjects } from "./furnish.ts";
import { readTenant } from "./read-tenant.ts";

const CALLS_PER_OPERATION = Number(process.env.TENANT_CALLS ?? 12);
/** These operations return data that the user stored, so they get no IDs from another tenant. */
const KEEPS_WORDS = new Set(["updatePreferences"]);
/** These operations end the caller's session, which would end the test. */
const ENDS_SESSIONS = new Set(["logout", "updatePassword", "deleteSession", "deleteCookieSession"]);
/** This stream stays open as long as its client reads. A separate test covers tenant isolation for this stream. */
const NEVER_ENDS = new Set(["streamLogs"]);
/** Statuses of a request that was refused for its form, before any object was looked up. */
const REFUSED_FOR_FORM = new Set([400, 401, 415, 422, 429]);
/**
 * Operations whose random requests all have the wrong form, with the reason. The gateway checks the objects of relayed
 * requests, and its tests cover them.
 */
const FORM_ONLY: Readonly<Record<string, string>> = {
  createToken: "the caller has no password",
  reauthenticate: "the caller has no password",
  getUsage: "a random query never has a valid grouping",
};

test("no operation shows or changes another tenant's data, regardless of the IDs in the request", {
  timeout: Math.max(180_000, CALLS_PER_OPERATION * 10_000),
}, async ({ database }) => {
  const platform = await startTestPlatform(database);
  onTestFinished(() => platform.close());
  const own = await furnish(platform, database, "QUINCE");
  const foreign = await furnish(platform, database, "MEDLAR");
  const before = await readTenant(platform, foreign.organizationId);
  const random = new Random(4);
  // A refreshed token replaces the previous one, which works for only one more minute.
  const callers = [own.owner, own.admin, own.member].map(({ token }) => ({ token }));
  const seen = new Map<string, Set<number>>();
  for (const operation of managementOperations()) {
    if (operation.auth === "administrator" || ENDS_SESSIONS.has(operation.id) || NEVER_ENDS.has(operation.id)) continue;
    for (let call = 0; call < CALLS_PER_OPERATION; call += 1) {
      const ids = random.chance(0.8) ? foreign.ids : [...foreign.ids, ...own.ids];
      const named = KEEPS_WORDS.has(operation.id) ? own.ids : ids;
      const { method, path, body, headers } = sketchRequest(operation, named, random);
      const caller = random.pick(callers);
      const answer = await platform.api(method, path, {
        token: caller.token,
        headers: random.chance(0.3) ? { ...headers, "x-gw-organization": foreign.organizationId } : headers,
        ...(body !== undefined && { body }),
      });
      const reported = `${answer.text} ${[...answer.headers.values()].join(" ")}`;
      const leaked = foreign.secrets.filter((secret) => reported.includes(secret));
      expect(leaked, `${method} ${path} ${JSON.stringify(body)} → ${answer.status} ${answer.text}`).toEqual([]);
      // With a valid key, this operation reaches the gateway, which this test does not run.
      if (operation.id === "createMessage" && answer.status === 503) continue;
      expect(answer.status, `${method} ${path} ${JSON.stringify(body)} → ${answer.text}`).toBeLessThan(500);
      if (operation.id === "refreshToken" && answer.status === 200) caller.token = answer.body.token;
      seen.set(operation.id, (seen.get(operation.id) ?? new Set()).add(answer.status));
    }
  }
  expect(await readTenant(platform, foreign.organizationId)).toEqual(before);
  // A request that is refused for its form proves nothing, so each operation must get past it at least once.
  const unproven = [...seen].filter(([id, statuses]) => {
    const isRelayed = id.startsWith("relay");
    return !isRelayed && FORM_ONLY[id] === undefined && [...statuses].every((status) => REFUSED_FOR_FORM.has(status));
  });
  expect(unproven.map(([id, statuses]) => `${id}: ${[...statuses].join()}`)).toEqual([]);
});

test("a well-formed request on another tenant's object is 404, and on an own one succeeds", async ({ database }) => {
  const platform = await startTestPlatform(database);
  onTestFinished(() => platform.close());
  const own = await furnish(platform, database, "SORREL");
  const foreign = await furnish(platform, database, "TANSY");
  const before = await readTenant(platform, foreign.organizationId);
  const kinds = Object.keys(foreign.objects) as (keyof TenantObjects)[];
  for (const { id, method, aim, own: expected } of aimedRequests) {
    const ownRequest = JSON.stringify(aim(own.objects));
    // All objects are foreign, or only one of them is.
    const mixed = kinds.map((kind) => aim({ ...own.objects, [kind]: foreign.objects[kind] }));
    const aimed = [aim(foreign.objects), ...mixed].filter((request) => JSON.stringify(request) !== ownRequest);
    const send = ({ path, body }: ReturnType<typeof aim>) =>
      platform.api(method, path, { token: own.owner.token, ...(body !== undefined && { body }) });
    for (const request of aimed) {
      const { status, text } = await send(request);
      expect({ id, request, status, text }).toMatchObject({ id, status: 404 });
    }
    const { status, text } = await send(aim(own.objects));
    expect({ id, status, text }).toMatchObject({ id, status: expected });
  }
  expect(await readTenant(platform, foreign.organizationId)).toEqual(before);
});
