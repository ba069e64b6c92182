import { readFileSync } from "node:fs";
import { join } from "node:path";
import { NANO_PER_USD } from "@tollgate/domain/money.ts";
import { startServe } from "@tollgate/testkit/processes/start-instance.ts";
import { addTenant, type Tenant } from "@tollgate/testkit/tenants.ts";
import { test } from "@tollgate/testkit/test.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { sql } from "kysely";
import { expect, onTestFinished } from "vitest";

const root = join(import.meta.dirname, "../../..");
const CALLERS = 30;

/** Returns the documented maximum number of connections by application name, for one process of each role. */
function readDocumentedLimits(): Map<string, number> {
  const page = readFileSync(join(root, "docs/deploy/connections.md"), "utf8");
  const limits = new Map<string, number>();
  for (const [, name, most] of page.matchAll(/^\| `(tollgate [a-z ]+)` \| \w+ \| (\d+) \|/gm)) {
    limits.set(name as string, (limits.get(name as string) ?? 0) + Number(most));
  }
  return limits;
}

test("a running instance opens at most the documented number of connections", async ({ database }) => {
  const db = database.connect("tollgate_platform");
  const tenants: Tenant[] = [];
  for (let index = 0; index < CALLERS; index += 1) tenants.push(await addTenant(db, { credit: NANO_PER_USD }));
  const { url: origin, stop } = await startServe({ databaseUrl: database.connectionString });
  onTestFinished(async () => void (await stop()));
  // Use new keys, claims, and assistants concurrently, so that the connection pools grow.
  const call = async (apiKey: string, path: string, body: object, more: Record<string, string> = {}) => {
    const headers = { authorization: `Bearer ${apiKey}`, "content-type": "application/json", ...more };
    const answer = await fetch(`${origin}${path}`, { method: "POST", headers, body: JSON.stringify(body) });
    await answer.arrayBuffer();
    return answer.status;
  };
  const chat = { model: "sim/echo", messages: [{ role: "user", content: "hi" }] };
  const callAll = (round: number) =>
    Promise.all(
      tenants.flatMap(({ apiKey }, index) => [
        call(apiKey, "/v1/chat/completions", chat, { "idempotency-key": `claim-${round}-${index}` }),
        call(apiKey, "/v1/threads", { messages: [{ role: "user", content: "hi" }] }),
      ]),
    );
  // On a busy machine, requests time out while they wait for a connection, so the load continues until enough succeed.
  let [rounds, served] = [0, 0];
  await waitFor("the load", async () => {
    rounds += 1;
    served += (await callAll(rounds)).filter((status) => status === 200).length;
    return served > CALLERS;
  });

  const limits = readDocumentedLimits();
  const open = await sql<{ name: string; count: number }>`
    select application_name as name, count(*)::int as count from pg_stat_activity
    where datname = current_database() and application_name like 'tollgate %' group by 1`.execute(db);
  expect(open.rows.length).toBeGreaterThan(5);
  for (const { name, count } of open.rows) {
    expect(limits.has(name), `${name} is on the page`).toBe(true);
    expect(count, name).toBeLessThanOrEqual(limits.get(name) as number);
  }
  const total = [...limits.values()].reduce((sum, most) => sum + most, 0);
  expect(total, "35 for a gateway, 8 for a platform, 31 for a worker").toBe(35 + 8 + 31);
});
