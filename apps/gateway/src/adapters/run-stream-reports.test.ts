import type { OpenRunStreams } from "@tollgate/db/assistants/run-streams.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { expect, onTestFinished, test } from "vitest";
import { RunStreamReports } from "./run-stream-reports.ts";

const ONE = { keyId: "key_a", organizationId: "org_a", streams: 1 };

function start(write: (open: readonly OpenRunStreams[]) => Promise<void>) {
  const failures: unknown[] = [];
  const reports = new RunStreamReports({ write, onFailed: (error) => failures.push(error), delayMs: 10 });
  onTestFinished(() => reports.close());
  return { reports, failures };
}

test("reports the streams that are open after many changes once, and withdraws them when the process stops", async () => {
  const written: (readonly OpenRunStreams[])[] = [];
  const { reports } = start(async (open) => void written.push(open));
  for (let streams = 1; streams <= 50; streams += 1) reports.notify(() => [{ ...ONE, streams }]);
  await waitFor("the report", () => written.length > 0);
  expect(written).toEqual([[{ ...ONE, streams: 50 }]]);
  await reports.close();
  expect(written.at(-1)).toEqual([]);
});

test("a failed report does not prevent the next one", async () => {
  const written: (readonly OpenRunStreams[])[] = [];
  const { reports, failures } = start(async (open) => {
    if (failures.length === 0) throw new Error("no database");
    written.push(open);
  });
  reports.notify(() => [ONE]);
  await waitFor("the failure", () => failures.length === 1);
  reports.notify(() => []);
  await waitFor("the next report", () => written.length === 1);
  expect(written).toEqual([[]]);
});
