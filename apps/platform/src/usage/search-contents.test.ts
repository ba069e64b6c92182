import { everyCall } from "@tollgate/db/usage/call-filter.ts";
import type { CallPosition } from "@tollgate/db/usage/read-calls.ts";
import { test } from "@tollgate/testkit/test.ts";
import { expect, onTestFinished } from "vitest";
import type { Caller } from "../caller.ts";
import { type SearchBudget, searchContents } from "./search-contents.ts";
import { SearchTurns } from "./search-turns.ts";
import { startReports } from "./usage.fixture.ts";

const PLENTY: SearchBudget = { calls: 1_000, characters: 1_000_000, ms: 60_000 };

test("a search stops at each limit of its budget, says how far it got, and continues without a gap", async ({
  database,
}) => {
  const reports = await startReports(database);
  onTestFinished(() => reports.platform.close());
  const { owner, platform } = reports;
  const ids = await reports.settle(Array.from({ length: 120 }, (_, index) => ({ agoMs: (index + 1) * 1_000 })));
  await reports.store(ids.map((id, index) => ({ id, request: { prompt: index === 110 ? "a lamp" : "a road" } })));
  const now = Date.now();
  const filter = {
    ...everyCall,
    organizationId: owner.organizationId,
    from: new Date(now - 3_600_000),
    to: new Date(now + 1),
  };
  const { organizationId } = owner;
  const caller = { userId: owner.userId, organization: { id: organizationId, role: "owner" } } as Caller;
  const search = (budget: SearchBudget, after: CallPosition | null) =>
    searchContents({
      ...{ caller, services: platform.services, filter, text: "LAMP", after, limit: 10, budget },
      signal: new AbortController().signal,
    });
  const whole = await search(PLENTY, null);
  expect(whole).toMatchObject({ searched: 120, next: null, until: filter.from });
  expect(whole.rows).toHaveLength(1);
  for (const budget of [
    { ...PLENTY, calls: 7 },
    { ...PLENTY, characters: 500 },
    { ...PLENTY, ms: 0 },
  ]) {
    let [after, searched, found, searches] = [null as CallPosition | null, 0, 0, 0];
    let untilMs = now;
    do {
      const part = await search(budget, after);
      searched += part.searched;
      found += part.rows.length;
      searches += 1;
      expect(part.until.getTime()).toBeLessThan(untilMs);
      untilMs = part.until.getTime();
      after = part.next;
    } while (after !== null && searches < 200);
    expect([searched, found, after], JSON.stringify(budget)).toEqual([120, 1, null]);
    expect(searches).toBeGreaterThan(1);
  }
});

test("searches take turns, with a pause after each turn that is as long as the turn", async () => {
  const turns = new SearchTurns();
  const order: string[] = [];
  const work = (name: string) => () => {
    const endMs = performance.now() + 10;
    while (performance.now() < endMs);
    order.push(name);
  };
  const startedAtMs = performance.now();
  const search = async (name: string) => {
    for (let turn = 0; turn < 3; turn += 1) await turns.take(work(name));
  };
  await Promise.all([search("one"), search("two")]);
  expect(order).toEqual(["one", "two", "one", "two", "one", "two"]);
  // Six turns, and a pause between each two of them. Timers are precise to a millisecond.
  expect(performance.now() - startedAtMs).toBeGreaterThan(11 * 10 - 6);
});

test("a user runs two searches at a time, and all users together ten", async () => {
  const turns = new SearchTurns();
  const end = Promise.withResolvers<string>();
  const search = () => end.promise;
  const own = [1, 2, 3].map(() => turns.run(1, search));
  expect(await own[2]).toBeNull();
  const others = Array.from({ length: 9 }, (_, index) => turns.run(index + 2, search));
  expect(await others[8]).toBeNull();
  end.resolve("found");
  expect(await Promise.all([...own.slice(0, 2), ...others.slice(0, 8)])).toEqual(Array(10).fill("found"));
  expect(await turns.run(1, search)).toBe("found");
  const failed = turns.run(1, () => Promise.reject(new Error("unavailable")));
  await expect(failed).rejects.toThrow("unavailable");
  expect(await Promise.all([turns.run(1, search), turns.run(1, search)])).toEqual(["found", "found"]);
});

test("a failed turn does not stop other searches", async () => {
  const turns = new SearchTurns();
  const failed = turns.take(() => {
    throw new Error("damaged");
  });
  await expect(failed).rejects.toThrow("damaged");
  expect(await turns.take(() => 7)).toBe(7);
});
