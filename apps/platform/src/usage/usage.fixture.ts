import type { Database } from "@tollgate/db/connect.ts";
import { insertKey } from "@tollgate/db/keys/insert-key.ts";
import { settleUsage } from "@tollgate/db/ledger/settle-usage.ts";
import { ensureUsagePartitions } from "@tollgate/db/ledger/usage-partitions.ts";
import { insertTeam } from "@tollgate/db/teams/insert-team.ts";
import { runAsAdministrator } from "@tollgate/db/tenancy.ts";
import { logRefusedCalls, type RefusedCall, saveContents } from "@tollgate/db/usage/write-calls.ts";
import { hashApiKey, makeApiKey } from "@tollgate/domain/api-keys.ts";
import type { UsageEvent } from "@tollgate/domain/credit/usage-event.ts";
import { makePrefixedId, makeUuidV7, uuidToCrockford } from "@tollgate/domain/ids.ts";
import { NO_USAGE } from "@tollgate/domain/pricing/usage.ts";
import type { TestDatabase } from "@tollgate/testkit/database.ts";
import { addTestPrice, makeUsageEvent, TEST_PRICE } from "@tollgate/testkit/usage-events.ts";
import type { TestUser } from "../people.fixture.ts";
import { startTestPlatform, type TestPlatform } from "../platform.fixture.ts";
import { callIdOf } from "./call-log.ts";
import { CONTENT_PURPOSE } from "./content-retention.ts";

export const DAY_MS = 86_400_000;

export interface CallOptions extends Partial<UsageEvent> {
  /** Age of the call in milliseconds. */
  readonly agoMs?: number;
  readonly teamId?: string;
  readonly keyId?: string;
  readonly cost?: bigint;
}

/** An organization with calls, and a user who reads its logs. */
export interface TestReports {
  readonly platform: TestPlatform;
  readonly owner: TestUser;
  readonly worker: Database;
  readonly keyId: string;
  readonly apiKey: string;
  addTeam(name: string): Promise<string>;
  addKey(teamId: string, name: string): Promise<{ keyId: string; apiKey: string }>;
  /** Settles calls as the worker does and returns their public IDs. */
  settle(calls: readonly CallOptions[]): Promise<string[]>;
  /** Records a request without a usage event, as the gateway does, and returns its request ID. */
  refuse(errorCode: string, recorded?: Partial<RefusedCall>): Promise<string>;
  /** Turns on content storage and stores contents of settled calls, encrypted as the gateway does. */
  store(
    contents: readonly { readonly id: string; readonly request: object; readonly answer?: string }[],
  ): Promise<void>;
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses of any shape.
  logs(query?: string, token?: string): Promise<any>;
}

export async function startReports(database: TestDatabase): Promise<TestReports> {
  const platform = await startTestPlatform(database);
  const owner = await platform.addUser();
  const worker = database.connect("tollgate_worker");
  await addTestPrice(worker);
  const { db } = platform.services;
  const { organizationId } = owner;
  const addKey = async (teamId: string, name: string) => {
    const keyId = makePrefixedId("key", Date.now());
    const apiKey = makeApiKey();
    await runAsAdministrator(db, (transaction) =>
      insertKey(transaction, {
        id: keyId,
        organizationId,
        teamId,
        name,
        tokenHash: hashApiKey(apiKey),
        prefix: apiKey.slice(0, 8),
        lastFour: apiKey.slice(-4),
      }),
    );
    return { keyId, apiKey };
  };
  const first = await addKey(owner.teamId, "ci");
  return {
    platform,
    owner,
    worker,
    ...first,
    addKey,
    addTeam: async (name) => {
      const id = makePrefixedId("team", Date.now());
      await runAsAdministrator(db, (transaction) => insertTeam(transaction, { id, organizationId, name }));
      return id;
    },
    settle: async (calls) => {
      const now = Date.now();
      const events = calls.map(({ agoMs = 0, cost = 0n, ...changes }) =>
        makeUsageEvent({ organizationId, teamId: owner.teamId, keyId: first.keyId } as never, cost, {
          id: makeUuidV7(now - agoMs),
          isBilled: false,
          usage: { ...NO_USAGE, inputTokens: Number(cost) },
          priceVersionId: TEST_PRICE.id,
          ...changes,
        }),
      );
      const days = events.map(({ id }) => new Date(Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16)));
      for (const day of new Set(days.map((at) => at.toISOString().slice(0, 10)))) {
        await ensureUsagePartitions(worker, day, day);
      }
      const outcomes = await settleUsage(worker, events);
      if ([...outcomes.values()].some((outcome) => outcome !== "settled")) {
        throw new Error(`not settled: ${[...new Set(outcomes.values())].join(", ")}`);
      }
      return events.map(({ id }) => `use_${uuidToCrockford(id)}`);
    },
    refuse: async (errorCode, recorded = {}) => {
      const id = makeUuidV7(Date.now());
      await logRefusedCalls(database.connect("tollgate_gateway"), [
        {
          ...{ id, organizationId, teamId: owner.teamId, keyId: first.keyId, userId: null, requestId: id, errorCode },
          ...{ endpoint: "chat.completions", modelGroup: "fast", isStream: false, httpStatus: 429 },
          ...recorded,
        },
      ]);
      return id;
    },
    store: async (contents) => {
      const settings = { logPrompts: true };
      await platform.api("PUT", "/api/gw/organizations", { token: owner.token, body: { settings } });
      const seal = (text: string) => platform.services.secrets.seal(text, CONTENT_PURPOSE);
      await saveContents(
        database.connect("tollgate_gateway"),
        contents.map(({ id, request, answer = "" }) => ({
          id: callIdOf(id) as string,
          organizationId,
          request: seal(JSON.stringify(request)),
          answer: seal(answer),
          isCut: false,
        })),
      );
    },
    logs: async (query = "", token = owner.token) => {
      const answer = await platform.api("GET", `/api/gw/logs${query === "" ? "" : `?${query}`}`, { token });
      return answer.body ?? answer;
    },
  };
}
