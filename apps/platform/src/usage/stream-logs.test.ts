import { logRefusedCalls } from "@tollgate/db/usage/write-calls.ts";
import { makeUuidV7, uuidToCrockford } from "@tollgate/domain/ids.ts";
import { watchAwakeTime } from "@tollgate/testkit/awake-time.ts";
import { test } from "@tollgate/testkit/test.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { type WatchedEvent, type WatchedStream, watchEvents } from "@tollgate/testkit/watch-events.ts";
import { expect, onTestFinished } from "vitest";
import { startReports, type TestReports } from "./usage.fixture.ts";

function watch(reports: TestReports, token: string, query = ""): Promise<WatchedStream> {
  return watchEvents(`${reports.platform.url}/api/gw/logs/stream?${query}`, token);
}

const idsOf = ({ events }: WatchedStream): string[] =>
  events.filter(({ name }) => name === "call").map(({ data }: WatchedEvent) => data.id);

test("a log stream sends each new call once, in the same format as the list, and only calls that the user can see", async ({
  database,
}) => {
  const reports = await startReports(database);
  onTestFinished(() => reports.platform.close());
  const { owner, platform } = reports;
  const otherTeam = await reports.addTeam("Other");
  const otherKey = await reports.addKey(otherTeam, "other");
  const member = await platform.addMember(owner.organizationId, "member", { [owner.teamId]: "member" });
  const stranger = await platform.addUser();
  await reports.settle([{ agoMs: 1_000 }]); // No stream is open yet.
  const [all, own, filtered, refusals, foreign, prying] = await Promise.all([
    watch(reports, owner.token),
    watch(reports, member.token),
    watch(reports, owner.token, "class=failed&model=slow&search=TIME"),
    watch(reports, owner.token, "class=refused"),
    watch(reports, stranger.token),
    watch(reports, stranger.token, `teamId=${owner.teamId}&apiKey=${reports.apiKey}`),
  ]);
  const awakeTime = watchAwakeTime();
  const settledAtMs = performance.now();
  const ids = await reports.settle([
    { cost: 5n },
    { teamId: otherTeam, keyId: otherKey.keyId },
    { status: "failure", modelGroup: "slow", errorCode: "stream_timeout", httpStatus: 408 },
    { status: "failure", modelGroup: "slow", errorCode: "bad_gateway", httpStatus: 502 },
  ]);
  const refused = makeUuidV7(Date.now());
  await logRefusedCalls(database.connect("tollgate_gateway"), [
    {
      id: refused,
      organizationId: owner.organizationId,
      teamId: owner.teamId,
      keyId: reports.keyId,
      userId: null,
      requestId: "mine",
      endpoint: "chat.completions",
      modelGroup: "fast",
      isStream: false,
      httpStatus: 429,
      errorCode: "QUOTA_EXCEEDED",
    },
  ]);
  const everything = [...ids, `use_${uuidToCrockford(refused)}`];
  await waitFor("every call", () => idsOf(all).length === everything.length);
  expect(all.events.every(({ atMs }) => awakeTime(settledAtMs, atMs) < 2_000)).toBe(true);
  expect(idsOf(all).toSorted()).toEqual(everything.toSorted());
  // By now, the other streams have received their calls, too.
  expect(idsOf(own).toSorted()).toEqual([ids[0], ids[2], ids[3], everything[4]].toSorted());
  expect(idsOf(filtered)).toEqual([ids[2]]);
  expect(idsOf(refusals)).toEqual([everything[4]]);
  expect([...foreign.events, ...prying.events]).toEqual([]);
  const list = await reports.logs();
  expect(all.events.map(({ data }) => data).toSorted((one, other) => (one.id < other.id ? 1 : -1))).toEqual(
    list.data.slice(0, everything.length),
  );

  // Each call is sent only once, so the stream sends a later call without repeating earlier calls.
  const [later] = await reports.settle([{}]);
  await waitFor("the later call", () => idsOf(all).includes(later as string));
  expect(idsOf(all)).toHaveLength(everything.length + 1);
  for (const stream of [all, own, filtered, refusals, foreign, prying]) stream.close();
});

test("a log stream sends the latest calls of a burst and the number of skipped calls", async ({ database }) => {
  const reports = await startReports(database);
  onTestFinished(() => reports.platform.close());
  const stream = await watch(reports, reports.owner.token);
  await reports.settle(Array.from({ length: 300 }, () => ({})));
  const skipped = await waitFor("the skipped calls", () =>
    stream.events.filter(({ name }) => name === "skipped").reduce((sum, { data }) => sum + data.count, 0),
  );
  expect(idsOf(stream).length).toBeLessThanOrEqual(50);
  expect(idsOf(stream).length + skipped).toBe(300);
  stream.close();
});

test("each user can open five streams, and closing a stream frees a slot", async ({ database }) => {
  const reports = await startReports(database);
  onTestFinished(() => reports.platform.close());
  const { owner, platform } = reports;
  const streams = await Promise.all(Array.from({ length: 6 }, () => watch(reports, owner.token)));
  expect(streams.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 200, 200, 429]);
  const other = await platform.addMember(owner.organizationId, "admin");
  expect((await watch(reports, other.token)).status).toBe(200);
  streams.find(({ status }) => status === 200)?.close();
  await waitFor("a free slot", async () => (await watch(reports, owner.token)).status === 200);
  platform.services.callTail.close();
  await waitFor("the end", () => streams.filter(({ events }) => events.at(-1)?.name === "end").length === 4);
});
