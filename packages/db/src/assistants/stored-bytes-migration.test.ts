import { makeRecordId } from "@tollgate/domain/assistants/make-id.ts";
import { createEmptyDatabase, querySql } from "@tollgate/testkit/database.ts";
import { expect, onTestFinished, test } from "vitest";
import { migrate } from "../migrate.ts";
import { readMigrations } from "../schema/read-migrations.ts";

test("records from before the migration count for their organization, and messages from their next change", async () => {
  const database = await createEmptyDatabase();
  onTestFinished(() => database.drop());
  const ask = (text: string) => querySql<Record<string, unknown>>(database.connectionString, text);
  const counted = async (key: string) => {
    const [row] = await ask(`select of_key, of_organization from read_stored_bytes('org_a', '${key}')`);
    return [Number(row?.of_key), Number(row?.of_organization)];
  };
  const migrations = readMigrations();
  const older = migrations.slice(
    0,
    migrations.findIndex(({ name }) => name.endsWith("stored_bytes")),
  );
  await migrate(database.connectionString, { migrations: older });
  const [thread, run, message] = [makeRecordId("thread"), makeRecordId("run"), makeRecordId("msg")];
  const record = "x".repeat(1_000);
  await ask(
    `insert into threads (id, owner, organization_id, record) values ('${thread}', 'team:a', 'org_a', '${record}')`,
  );
  await ask(`insert into thread_runs (id, thread_id, owner, organization_id, key_id, assistant_id, status, record)
    values ('${run}', '${thread}', 'team:a', 'org_a', 'key_a', 'asst', 'completed', '${record}')`);
  const addMessage = (id: string) =>
    ask(
      `insert into thread_messages (id, thread_id, owner, record) values ('${id}', '${thread}', 'team:a', '${record}')`,
    );
  await addMessage(message);

  await migrate(database.connectionString);
  expect(await counted("key_a")).toEqual([1_256, 2 * 1_256]);
  // A gateway of the previous release writes no organization and no key.
  await addMessage(makeRecordId("msg"));
  expect(await counted("key_a")).toEqual([1_256, 3 * 1_256]);
  await ask(`update thread_messages set record = record || 'y', key_id = 'key_b' where id = '${message}'`);
  expect(await counted("key_b")).toEqual([1_257, 4 * 1_256 + 1]);
  await ask(`delete from threads where id = '${thread}'`);
  expect(await counted("key_a")).toEqual([0, 0]);
  expect(await counted("key_b")).toEqual([0, 0]);
});
