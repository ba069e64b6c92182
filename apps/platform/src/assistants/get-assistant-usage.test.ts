import { reportRunStreams } from "@tollgate/db/assistants/run-streams.ts";
import { postSystemCredit } from "@tollgate/db/credits/post-system-credit.ts";
import { runAsAdministrator } from "@tollgate/db/tenancy.ts";
import { makeRecordId } from "@tollgate/domain/assistants/make-id.ts";
import { querySql } from "@tollgate/testkit/database.ts";
import { test as engines } from "@tollgate/testkit/test.ts";
import { expect } from "vitest";
import { startReports } from "../usage/usage.fixture.ts";

const test = engines.extend("reports", ({ database }) => startReports(database));

test("shows what the organization and a key use of their limits, and nothing of other organizations", async ({
  reports,
  database,
}) => {
  const { platform, owner } = reports;
  const read = async (query = "", token = owner.token) =>
    platform.api("GET", `/api/gw/assistants/usage${query}`, { token });
  const { organizationId } = owner;
  const { keyId } = reports;
  const credit = { organizationId, amount: 1n, idempotencyKey: "test", reason: "Test credit" };
  await runAsAdministrator(platform.services.db, (inside) => postSystemCredit(inside, { kind: "grant", ...credit }));
  const thread = makeRecordId("thread");
  const record = "x".repeat(1_000);
  await querySql(
    database.connectionString,
    `insert into threads (id, owner, organization_id, key_id, record)
     values ('${thread}', 'team:a', '${organizationId}', '${keyId}', '${record}')`,
  );
  await querySql(
    database.connectionString,
    `insert into thread_runs (id, thread_id, owner, organization_id, key_id, assistant_id, status, record)
     values ('${makeRecordId("run")}', '${thread}', 'team:a', '${organizationId}', 'key_other', 'asst', 'queued', '${record}')`,
  );
  const gateway = database.connect("tollgate_gateway");
  await reportRunStreams(gateway, "first", [
    { keyId, organizationId, streams: 2 },
    { keyId: "key_other", organizationId, streams: 1 },
  ]);
  await reportRunStreams(gateway, "second", [{ keyId, organizationId, streams: 4 }]);
  await reportRunStreams(gateway, "second", [{ keyId, organizationId, streams: 3 }]);

  const ofOrganization = {
    queuedRuns: { current: 1, maximum: 1_000 },
    openStreams: { current: 6, maximumPerGateway: 500 },
    storedBytes: { current: 2_512, maximum: 10_000_000_000 },
  };
  expect(await read()).toMatchObject({
    status: 200,
    body: { assistants: { organization: ofOrganization, apiKey: null, needsCredit: false } },
  });
  expect((await read(`?apiKey=${keyId}`)).body.assistants).toEqual({
    organization: ofOrganization,
    apiKey: {
      queuedRuns: { current: 0, maximum: 200 },
      openStreams: { current: 5, maximumPerGateway: 100 },
      storedBytes: { current: 1_256, maximum: 2_000_000_000 },
    },
    needsCredit: false,
  });

  const stranger = await platform.addUser();
  expect((await read(`?apiKey=${keyId}`, stranger.token)).status).toBe(404);
  expect((await read("", stranger.token)).body.assistants).toMatchObject({
    organization: {
      queuedRuns: { current: 0 },
      openStreams: { current: 0 },
      storedBytes: { current: 0, maximum: 10_000_000 },
    },
    needsCredit: true,
  });
  expect((await platform.api("GET", "/api/gw/assistants/usage")).status).toBe(401);
  await querySql(database.connectionString, "update open_run_streams set reported_at = now() - interval '2 minutes'");
  expect((await read()).body.assistants.organization.openStreams.current).toBe(0);
});
