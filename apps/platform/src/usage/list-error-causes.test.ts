import { logRefusedCalls } from "@tollgate/db/usage/write-calls.ts";
import { makeUuidV7 } from "@tollgate/domain/ids.ts";
import { test } from "@tollgate/testkit/test.ts";
import { expect, onTestFinished } from "vitest";
import { startReports } from "./usage.fixture.ts";

test("the list groups failures by model and refusals by key, most frequent first", async ({ database }) => {
  const reports = await startReports(database);
  onTestFinished(() => reports.platform.close());
  const { owner, keyId, platform } = reports;
  const failed = { status: "failure", httpStatus: 504, errorCode: "timeout" } as const;
  await reports.settle([
    { agoMs: 5_000, modelGroup: "gpt-5", ...failed },
    { agoMs: 4_000, modelGroup: "gpt-5", ...failed },
    { agoMs: 3_000, modelGroup: "other", ...failed },
    { agoMs: 2_000, modelGroup: "gpt-5" },
    { agoMs: 3 * 86_400_000, modelGroup: "gpt-5", ...failed },
  ]);
  const refused = (agoMs: number, modelGroup: string) => ({
    id: makeUuidV7(Date.now() - agoMs),
    organizationId: owner.organizationId,
    teamId: owner.teamId,
    keyId,
    userId: null,
    requestId: `refused-${agoMs}`,
    endpoint: "/v1/chat/completions",
    modelGroup,
    isStream: false,
    httpStatus: 429,
    errorCode: "QUOTA_EXCEEDED",
  });
  await logRefusedCalls(database.connect("tollgate_gateway"), [
    refused(900, "gpt-5"),
    refused(800, "other"),
    refused(700, "gpt-5"),
  ]);

  const answer = await platform.api("GET", "/api/gw/logs/errors", { token: owner.token });
  expect(answer.status).toBe(200);
  expect(answer.body.isSample).toBe(false);
  expect(answer.body.causes).toMatchObject([
    { errorCode: "QUOTA_EXCEEDED", count: 3, model: null, apiKeyName: "ci", lastRequestId: "refused-700" },
    { errorCode: "timeout", count: 2, model: "gpt-5" },
    { errorCode: "timeout", count: 1, model: "other" },
  ]);
  expect(answer.body.causes[0].message).toMatch(/^Key ci: /);
  expect(answer.body.causes[1].message).toMatch(/^gpt-5: /);
});

test("the list hides other organizations' errors", async ({ database }) => {
  const reports = await startReports(database);
  onTestFinished(() => reports.platform.close());
  await reports.settle([{ agoMs: 1_000, status: "failure", httpStatus: 500, errorCode: "internal_error" }]);
  const stranger = await reports.platform.addUser();
  const answer = await reports.platform.api("GET", "/api/gw/logs/errors", { token: stranger.token });
  expect(answer.body.causes).toEqual([]);
});
