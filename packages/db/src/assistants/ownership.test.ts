import { makeRecordId } from "@tollgate/domain/assistants/make-id.ts";
import { plainAssistant } from "@tollgate/domain/assistants/records.fixture.ts";
import { sql } from "kysely";
import { expect } from "vitest";
import { runForOwner, type TenantTransaction } from "../tenancy.ts";
import { type RunStage, sealer, stepOf, test } from "./assistants.fixture.ts";
import { insertAssistant } from "./assistants.ts";
import { claimRun, startTurn, storeWork } from "./run-work.ts";

const TABLES = ["assistants", "threads", "thread_messages", "thread_runs", "run_steps", "run_events", "run_turns"];

test("shows a gateway only the rows of the owner it acts for, and no rows if it acts for no owner", async ({
  stage,
}) => {
  await fillTables(stage);
  for (const table of TABLES) {
    const count = async (transaction: TenantTransaction | RunStage["gateway"]) =>
      (await sql`select * from ${sql.table(table)}`.execute(transaction)).rows.length;
    const countAs = (owner: string, isAdministrator: boolean) =>
      runForOwner(stage.gateway, { owner, isAdministrator }, count);
    expect(await countAs("team:team_a", false), table).toBeGreaterThan(0);
    expect(await countAs("team:team_b", false), table).toBe(0);
    expect(await countAs("key:master", true), table).toBeGreaterThan(0);
    // The access ends with the transaction, even though the connection returns to the pool.
    expect(await count(stage.gateway), table).toBe(0);
  }
});

test("a gateway cannot write or delete for another owner", async ({ stage }) => {
  const run = await stage.addRun();
  const actAsOther = <T>(work: (transaction: TenantTransaction) => Promise<T>) =>
    runForOwner(stage.gateway, { owner: "team:team_b", isAdministrator: false }, work);
  const insertion = actAsOther((transaction) =>
    transaction
      .insertInto("thread_messages")
      .values({ id: makeRecordId("msg"), thread_id: run.threadId, owner: "team:team_a", record: "x" })
      .execute(),
  );
  await expect(insertion).rejects.toThrow("row-level security");
  const changed = await actAsOther((transaction) =>
    transaction.updateTable("thread_runs").set({ status: "cancelled" }).executeTakeFirst(),
  );
  expect(changed.numUpdatedRows).toBe(0n);
  const deleted = await actAsOther((transaction) => transaction.deleteFrom("threads").executeTakeFirst());
  expect(deleted.numDeletedRows).toBe(0n);
  await expect(stage.gateway.deleteFrom("run_turns").execute()).rejects.toThrow("permission denied");
});

/** Inserts a row into each table. */
async function fillTables(stage: RunStage): Promise<void> {
  const run = await stage.addRun(true);
  await stage.act((access) => insertAssistant(access, "team:team_a", "org_a", plainAssistant));
  const taking = await claimRun(stage.worker, sealer, run.id);
  if (taking?.kind !== "taken") throw new Error("the run was not to be taken");
  await startTurn(stage.worker, sealer, taking.lease, { number: 1, attempt: 1, label: makeRecordId("call") });
  await storeWork(stage.worker, sealer, taking.lease, {
    steps: [stepOf(run, { type: "tool_calls", calls: [] })],
    tell: () => [{ event: "x", data: 1 }],
  });
}
