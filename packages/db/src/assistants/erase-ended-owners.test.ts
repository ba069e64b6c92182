import { makeRecordId } from "@tollgate/domain/assistants/make-id.ts";
import { querySql, type TestDatabase } from "@tollgate/testkit/database.ts";
import { addTenant, type Tenant } from "@tollgate/testkit/tenants.ts";
import { test } from "@tollgate/testkit/test.ts";
import { expect } from "vitest";
import { closeOrganization } from "../organizations/close-organization.ts";
import { deleteTeam } from "../teams/delete-team.ts";
import { runInOrganization } from "../tenancy.ts";
import { eraseEndedOwners } from "./erase-ended-owners.ts";

const TABLES = [
  "assistants",
  "threads",
  "thread_messages",
  "thread_runs",
  "run_steps",
  "run_turns",
  "responses",
] as const;

test("deletes exactly the records of deleted teams and closed organizations", async ({ database }) => {
  const platform = database.connect("tollgate_platform");
  const worker = database.connect("tollgate_worker");
  const [stays, team, organization] = [await addTenant(platform), await addTenant(platform), await addTenant(platform)];
  for (const tenant of [stays, team, organization]) await fill(database, tenant, 60);
  expect(await eraseEndedOwners(worker)).toBe(0);

  await runInOrganization(platform, team.organizationId, (inside) =>
    deleteTeam(inside, team.organizationId, team.teamId, new Date()),
  );
  await runInOrganization(platform, organization.organizationId, (inside) =>
    closeOrganization(inside, organization.organizationId, new Date()),
  );
  expect(await eraseEndedOwners(worker)).toBe(124);
  for (const table of TABLES) {
    const rows = await querySql<{ count: string }>(database.connectionString, `select count(*) from ${table}`);
    expect({ table, count: Number(rows[0]?.count) }).toEqual({ table, count: table === "threads" ? 60 : 1 });
  }
  expect(await eraseEndedOwners(worker)).toBe(0);
});

/** Adds an assistant and the given number of threads, one of them with a run. */
async function fill(database: TestDatabase, { organizationId, teamId }: Tenant, threads: number): Promise<void> {
  const ask = (text: string) => querySql(database.connectionString, text);
  const owned = `'team:${teamId}', '${organizationId}', 'sealed'`;
  const [thread, run] = [makeRecordId("thread"), makeRecordId("run")];
  const ids = [thread, ...Array.from({ length: threads - 1 }, () => makeRecordId("thread"))];
  await ask(`insert into assistants (id, owner, organization_id, record) values ('${makeRecordId("asst")}', ${owned})`);
  await ask(
    `insert into threads (id, owner, organization_id, record) values ${ids.map((id) => `('${id}', ${owned})`).join()}`,
  );
  await ask(`insert into thread_messages (id, thread_id, owner, record)
    values ('${makeRecordId("msg")}', '${thread}', 'team:${teamId}', 'sealed')`);
  await ask(`insert into thread_runs (id, thread_id, owner, organization_id, record, key_id, assistant_id, status)
    values ('${run}', '${thread}', ${owned}, 'key', 'asst', 'completed')`);
  await ask(`insert into run_steps (id, run_id, thread_id, owner, record)
    values ('${makeRecordId("step")}', '${run}', '${thread}', 'team:${teamId}', 'sealed')`);
  const response = `resp_${Buffer.from(teamId.slice(-16)).toString("hex")}`;
  await ask(`insert into responses (id, owner, organization_id, record) values ('${response}', ${owned})`);
  await ask(`insert into run_turns (run_id, number, attempt, call_label) values ('${run}', 1, 1, 'call-${teamId}')`);
}
