import { runAsAdministrator } from "@tollgate/db/tenancy.ts";
import { test } from "@tollgate/testkit/test.ts";
import { expect } from "vitest";
import { openJobs } from "./jobs.fixture.ts";

test("concurrent changes that add outbox events do not block each other", async ({ database }) => {
  const jobs = openJobs(database);
  const [ada, bob] = [await jobs.addOwner(), await jobs.addOwner()];
  const platform = database.connect("tollgate_platform");
  const add = ({ organizationId }: typeof ada, then: () => Promise<void>) =>
    runAsAdministrator(platform, async (transaction) => {
      await transaction
        .insertInto("outbox")
        .values({ organization_id: organizationId, type: "key.created", data: {} })
        .execute();
      await then();
    });
  let isInnerDone = false;
  await add(ada, async () => {
    await add(bob, async () => {});
    isInnerDone = true;
  });
  expect(isInnerDone).toBe(true);
  const waiting = await jobs.ask("select from graphile_worker.jobs where task_identifier = 'deliver_outbox'");
  expect(waiting).toHaveLength(2);
});
