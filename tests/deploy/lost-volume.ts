import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { cloneDatabase } from "@tollgate/testkit/database.ts";
import { addTenant } from "@tollgate/testkit/tenants.ts";
import { readUsageRows } from "../chaos/ledger/usage-rows.ts";
import type { CallPlan } from "../chaos/load/call-log.ts";
import { Load } from "../chaos/load/load.ts";
import type { Tenant } from "../chaos/stage/tenants.ts";
import { startUpstream } from "../chaos/upstream/start-upstream.ts";
import { describeInstallation } from "../restore/installation.ts";

// Measures the cost of a lost journal volume: repeatedly kills two gateway processes under load and deletes their
// journals, then counts the complete responses that the ledger does not contain. Run with `node
// tests/deploy/lost-volume.ts` (about a minute).

const ROUNDS = 5;
const RATE = 100;
const SECONDS = 4;
const CREDIT = 1_000_000_000_000n;
const PREFIX = "volume-";

const folder = mkdtempSync(join(tmpdir(), "tollgate-volume-"));
const [database, upstream] = await Promise.all([cloneDatabase(), startUpstream(folder)]);
const ledger = database.connect("tollgate_worker");
const tenant: Tenant = {
  ...(await addTenant(database.connect("tollgate_platform"), { credit: CREDIT })),
  isPoor: false,
};
const installation = await describeInstallation(folder, upstream.url);
installation.use(database.connectionString);

const planCall = (name: string): CallPlan => ({
  nonce: `${PREFIX}${name}`,
  tenant,
  model: "reporting",
  isStream: false,
  chunks: 8,
  gapMs: 5,
  tokensPerChunk: 5,
  delayMs: 5,
  maxTokens: 50,
  hangUp: null,
});

try {
  for (let round = 0; round < ROUNDS; round += 1) {
    const startedAtMs = Date.now();
    await installation.program.start();
    const load = new Load({ url: () => installation.url, rate: RATE, plan: (index) => planCall(`${round}-${index}`) });
    await pause(SECONDS * 1_000);
    const killedAtMs = Date.now();
    await installation.program.kill();
    await load.stop();
    installation.loseJournals();
    const rows = await readUsageRows(ledger, PREFIX, startedAtMs);
    const answered = load.logs.filter(({ isComplete }) => isComplete);
    const lost = answered.filter(({ plan }) => !rows.has(plan.nonce));
    const oldestMs = Math.max(0, ...lost.map(({ endedAtMs }) => killedAtMs - endedAtMs));
    const leases = await ledger
      .selectFrom("credit_leases")
      .select("outstanding")
      .where("state", "=", "active")
      .execute();
    const setAside = leases.reduce((sum, { outstanding }) => sum + BigInt(outstanding ?? 0n), 0n);
    console.log(
      JSON.stringify({
        answered: answered.length,
        lost: lost.length,
        oldest_lost_ms: oldestMs,
        set_aside_usd: Number(setAside) / 1e9,
      }),
    );
  }
} finally {
  await installation.program.stop();
  await upstream.program.stop();
  await database.drop();
  rmSync(folder, { recursive: true, force: true });
}
