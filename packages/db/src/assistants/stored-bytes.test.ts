import { MASTER_KEY_ID } from "@tollgate/domain/api-keys.ts";
import { makeRecordId } from "@tollgate/domain/assistants/make-id.ts";
import { plainAssistant } from "@tollgate/domain/assistants/records.fixture.ts";
import { AMPLE_STORAGE } from "@tollgate/domain/assistants/stored-bytes.fixture.ts";
import { recordBytes, type StorageLimits } from "@tollgate/domain/assistants/stored-bytes.ts";
import { querySql } from "@tollgate/testkit/database.ts";
import { addTenant } from "@tollgate/testkit/tenants.ts";
import { expect } from "vitest";
import { closeOrganization } from "../organizations/close-organization.ts";
import { deleteExpiredResponses, insertResponse } from "../responses/responses.ts";
import { runForOwner, runInOrganization } from "../tenancy.ts";
import type { Access } from "./access.ts";
import { ACTING, answerOf, type RunStage, SUBMITTED, sealer, stepOf, test, userMessage } from "./assistants.fixture.ts";
import { changeAssistant, deleteAssistant, insertAssistant } from "./assistants.ts";
import { deleteOldThreads } from "./delete-old-threads.ts";
import { eraseEndedOwners } from "./erase-ended-owners.ts";
import { changeMessage, deleteMessage, insertMessages } from "./messages.ts";
import { claimRun, storeWork } from "./run-work.ts";
import { changeRunMetadata } from "./runs.ts";
import { addStorageChanges, hasStorageChanges } from "./storage-changes.ts";
import { findFullStorage, StorageFullError } from "./storage-quota.ts";
import { submitOutputs } from "./submit-outputs.ts";
import { deleteThread, insertThread, lockThread } from "./threads.ts";

interface Acting {
  readonly keyId: string;
  readonly organizationId: string | null;
}

const TEAMMATE = { keyId: "key_b", organizationId: "org_a" };
const EMPTY = { metadata: {}, tool_resources: null };

/** Runs work as this key of the team, which several keys share. */
function actAs<T>(
  { gateway }: RunStage,
  acting: Acting,
  work: (access: Access) => Promise<T>,
  limits: StorageLimits = AMPLE_STORAGE,
): Promise<T> {
  const owner = "team:team_a";
  return runForOwner(gateway, { owner, isAdministrator: false }, (transaction) =>
    work({ transaction, sealer, owner, storage: { ...acting, limits } }),
  );
}

/** Compares the counted bytes of every key and organization with the sizes of all records. */
async function expectExact({ database }: RunStage): Promise<void> {
  const records = ["assistants", "threads", "thread_messages", "thread_runs", "run_steps", "responses"]
    .map((table) => `select organization_id, key_id, octet_length(record) + 256 as bytes from ${table}`)
    .join(" union all ");
  const wrong = await querySql(
    database.connectionString,
    `with counted as (
       select tenant, key_id, sum(bytes) as bytes from (
         select * from stored_bytes where key_id <> '' union all select * from stored_byte_changes where key_id <> ''
         union all select tenant, '', bytes from stored_bytes where key_id = ''
         union all select tenant, '', bytes from stored_byte_changes
       ) as changes group by 1, 2
     ), actual as (
       select coalesce(organization_id, 'none') as tenant, key_id, sum(bytes) as bytes from (${records}) as records
        where key_id is not null group by 1, 2
       union all
       select coalesce(organization_id, 'none'), '', sum(bytes) from (${records}) as records group by 1
     )
     select * from counted full join actual using (tenant, key_id)
      where coalesce(counted.bytes, 0) <> coalesce(actual.bytes, 0)`,
  );
  expect(wrong).toEqual([]);
}

async function storedBytes({ database }: RunStage, { keyId, organizationId }: Acting) {
  const [row] = await querySql<{ of_key: string; of_organization: string }>(
    database.connectionString,
    `select * from read_stored_bytes(${organizationId === null ? "null" : `'${organizationId}'`}, '${keyId}')`,
  );
  return { ofKey: Number(row?.of_key), ofOrganization: Number(row?.of_organization) };
}

test("counts every record that keys and workers write, change, and delete, and adds up to the sizes of the records", async ({
  stage,
}) => {
  const { worker } = stage;
  const assistant = await actAs(stage, ACTING, (access) =>
    insertAssistant(access, "team:team_a", "org_a", plainAssistant),
  );
  await expectExact(stage);
  const run = await stage.addRun();
  const taken = await claimRun(worker, sealer, run.id);
  if (taken?.kind !== "taken") throw new Error("the run was not claimed");
  const call = { id: "call_1", type: "function", function: { name: "add", arguments: "{}" } } as const;
  const details = { type: "tool_calls", calls: [{ ...call, output: null }] } as const;
  await storeWork(worker, sealer, taken.lease, {
    messages: [answerOf(run, "thinking ".repeat(100), "in_progress")],
    steps: [stepOf(run, details, "in_progress")],
    command: { kind: "require_action" },
    fields: { required: [call] },
  });
  await expectExact(stage);
  await addStorageChanges(worker);
  await expectExact(stage);

  const before = await storedBytes(stage, TEAMMATE);
  expect(before.ofKey).toBe(0);
  await actAs(stage, TEAMMATE, async (access) => {
    const outputs = [{ toolCallId: call.id, output: "4".repeat(5_000) }];
    await submitOutputs(access, run.threadId, run.id, { ...SUBMITTED, acting: TEAMMATE, outputs, isStreamed: false });
    await changeAssistant(access, assistant.id, { instructions: "x".repeat(3_000) });
    await changeRunMetadata(access, run.threadId, run.id, { note: "y".repeat(500) });
  });
  await expectExact(stage);
  // The run, its step, and the assistant count against the key that wrote them last.
  const after = await storedBytes(stage, TEAMMATE);
  expect(after.ofKey).toBeGreaterThan(8_500);
  expect(after.ofOrganization).toBeGreaterThan(before.ofOrganization + 8_000);

  await actAs(stage, ACTING, async (access) => {
    const thread = await lockThread(access, run.threadId);
    if (thread === null) throw new Error("the thread was not found");
    const [added] = await insertMessages(access, thread, null, [
      { id: makeRecordId("msg"), fields: userMessage("a".repeat(2_000)) },
    ]);
    await changeMessage(access, run.threadId, added?.id ?? "", { note: "z".repeat(300) });
    await insertResponse(access, { ...NEW_RESPONSE, id: `resp_${"1".repeat(32)}` });
    await deleteMessage(access, run.threadId, added?.id ?? "");
  });
  await expectExact(stage);
  await actAs(stage, ACTING, async (access) => {
    await deleteAssistant(access, assistant.id);
    await deleteThread(access, run.threadId);
  });
  await expectExact(stage);
  await addStorageChanges(worker);
  expect(await hasStorageChanges(worker)).toBe(false);
  expect(await storedBytes(stage, TEAMMATE)).toMatchObject({ ofKey: 0 });
  await querySql(stage.database.connectionString, "update responses set expires_at = now() - interval '1 day'");
  await deleteExpiredResponses(worker);
  expect(await storedBytes(stage, ACTING)).toEqual({ ofKey: 0, ofOrganization: 0 });
});

const NEW_RESPONSE = {
  owner: "team:team_a",
  organizationId: "org_a",
  previousId: null,
  itemIds: [],
  record: JSON.stringify({ input: [], response: {} }),
};

test("retention and erasure give the space back to keys and organizations", async ({ stage, database }) => {
  const { worker } = stage;
  const [closed, stays] = [await addTenant(stage.platform), await addTenant(stage.platform)];
  await stage.addRun(false, closed);
  await stage.addRun(false, stays);
  await addStorageChanges(worker);
  await expectExact(stage);
  await runInOrganization(stage.platform, closed.organizationId, (inside) =>
    closeOrganization(inside, closed.organizationId, new Date()),
  );
  expect(await eraseEndedOwners(worker)).toBe(1);
  expect(await storedBytes(stage, closed)).toEqual({ ofKey: 0, ofOrganization: 0 });
  expect((await storedBytes(stage, stays)).ofKey).toBeGreaterThan(500);
  await querySql(database.connectionString, "update threads set touched_at = now() - interval '31 days'");
  await deleteOldThreads(worker, 30);
  expect(await storedBytes(stage, stays)).toEqual({ ofKey: 0, ofOrganization: 0 });
  await expectExact(stage);
  // Totals of zero are deleted, so that keys and organizations that are gone leave no rows.
  await addStorageChanges(worker);
  const tenants = `'${closed.organizationId}', '${stays.organizationId}'`;
  expect(await querySql(database.connectionString, `select * from stored_bytes where tenant in (${tenants})`)).toEqual(
    [],
  );
  await expectExact(stage);
});

const store = (stage: RunStage, acting: Acting, bytes: number, limits: StorageLimits) =>
  actAs(
    stage,
    acting,
    async (access) => {
      const { row } = await insertThread(access, "team:team_a", acting.organizationId, EMPTY);
      const message = { id: makeRecordId("msg"), fields: userMessage("x".repeat(bytes)) };
      await insertMessages(access, row, null, [message]);
    },
    limits,
  );

test("concurrent writers do not exceed a limit together, and a refused one stores nothing", async ({ stage }) => {
  const limits = { ...AMPLE_STORAGE, perOrganization: 10_000 };
  const writers = Array.from({ length: 12 }, (_, index) => ({ keyId: `key_${index}`, organizationId: "org_a" }));
  const outcomes = await Promise.allSettled(writers.map((acting) => store(stage, acting, 2_000, limits)));
  const refused = outcomes.filter((outcome) => outcome.status === "rejected");
  expect(refused.length).toBe(9);
  for (const { reason } of refused) expect(reason).toBeInstanceOf(StorageFullError);
  expect((await storedBytes(stage, ACTING)).ofOrganization).toBeLessThanOrEqual(10_000);
  await expectExact(stage);
});

test("a write is refused by the limit of the key first, and a smaller record can always replace a larger one", async ({
  stage,
}) => {
  const limits = { ...AMPLE_STORAGE, perKey: 5_000 };
  const { id } = await actAs(
    stage,
    ACTING,
    (access) => insertAssistant(access, "team:team_a", "org_a", { ...plainAssistant, instructions: "x".repeat(4_000) }),
    limits,
  );
  const stored = (await storedBytes(stage, ACTING)).ofKey;
  const change = (acting: Acting, instructions: string) =>
    actAs(stage, acting, (access) => changeAssistant(access, id, { instructions }), limits);
  await expect(change(ACTING, "x".repeat(6_000))).rejects.toMatchObject({
    full: { reason: "key", current: stored, maximum: 5_000 },
  });
  await store(stage, TEAMMATE, 2_000, limits);
  // The record would count against the key that changes it, which has no space for all of it.
  await expect(change(TEAMMATE, "x".repeat(3_900))).rejects.toMatchObject({ full: { reason: "key" } });
  await change(ACTING, "x".repeat(3_900));
  await actAs(stage, ACTING, (access) => deleteAssistant(access, id), limits);
  await store(stage, ACTING, 4_000, limits);
});

test("the master key is held to its own limit in threads of all organizations", async ({ stage }) => {
  const master: Acting = { keyId: MASTER_KEY_ID, organizationId: null };
  const limits = { ...AMPLE_STORAGE, perKey: 7_000 };
  const threadOf = (organizationId: string) =>
    actAs(stage, { ...ACTING, organizationId }, (access) => insertThread(access, "team:team_a", organizationId, EMPTY));
  const threads = [await threadOf("org_a"), await threadOf("org_b")];
  const write = (index: number) =>
    runForOwner(stage.gateway, { owner: "key:master", isAdministrator: true }, (transaction) => {
      const { row } = threads[index] as (typeof threads)[number];
      const access = { transaction, sealer, owner: null, storage: { ...master, limits } };
      return insertMessages(access, row, null, [{ id: makeRecordId("msg"), fields: userMessage("x".repeat(2_000)) }]);
    });
  await write(0);
  // One message is in the totals, and the other one is not.
  await addStorageChanges(stage.worker);
  await write(1);
  await expect(write(0)).rejects.toMatchObject({ full: { reason: "key", maximum: 7_000 } });
  expect(await findFullStorage(stage.worker, master, limits, "x".repeat(2_000))).toMatchObject({ reason: "key" });
  // Each other key has a limit of its own.
  await store(stage, { keyId: "key_other", organizationId: "org_a" }, 2_000, limits);
  await expectExact(stage);
});

test("an organization without credit has its own limit, which credit lifts and a missing billing turns off", async ({
  stage,
}) => {
  const [poor, rich] = [await addTenant(stage.platform), await addTenant(stage.platform, { credit: 1n })];
  const limits = { ...AMPLE_STORAGE, withoutCredit: 5_000 };
  await store(stage, rich, 6_000, limits);
  await store(stage, poor, 2_000, limits);
  const { ofOrganization } = await storedBytes(stage, poor);
  await expect(store(stage, poor, 3_000, limits)).rejects.toMatchObject({
    full: { reason: "unpaid", maximum: 5_000 },
  });
  expect(await findFullStorage(stage.worker, poor, { ...limits, withoutCredit: ofOrganization + 255 })).toEqual({
    reason: "unpaid",
    current: ofOrganization,
    maximum: ofOrganization + 255,
  });
  await store(stage, poor, 3_000, { ...limits, withoutCredit: null });
  // A key without an organization has no credit, and only the limit of the key.
  await store(stage, { keyId: "key_master", organizationId: null }, 6_000, limits);
});

test("a record counts with the same bytes in SQL as here", async ({ database }) => {
  const [row] = await querySql<{ bytes: string }>(database.connectionString, "select record_bytes('v1.abc') as bytes");
  expect(Number(row?.bytes)).toBe(recordBytes("v1.abc"));
});
