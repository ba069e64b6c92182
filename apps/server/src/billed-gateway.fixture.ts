import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { postSystemCredit } from "@tollgate/db/credits/post-system-credit.ts";
import { setBudget } from "@tollgate/db/leases/budgets.ts";
import { readQuota } from "@tollgate/db/ledger/read-quota.ts";
import { findBrokenInvariants } from "@tollgate/db/ledger/verify/find-broken-invariants.ts";
import type { CheckReport } from "@tollgate/db/ledger/verify/invariant.ts";
import { runAsAdministrator } from "@tollgate/db/tenancy.ts";
import { STRICT_ADMISSION } from "@tollgate/domain/credit/admission.ts";
import type { NanoUsd } from "@tollgate/domain/money.ts";
import type { Secret } from "@tollgate/domain/secret.ts";
import type { CallRecord } from "@tollgate/gateway/accounting/record-usage.ts";
import { testSettings } from "@tollgate/gateway/test-gateway.fixture.ts";
import type { Logger } from "@tollgate/runtime/logger.ts";
import { querySql } from "@tollgate/testkit/database.ts";
import { addTenant, type Tenant, type TenantOptions } from "@tollgate/testkit/tenants.ts";
import { test as engines } from "@tollgate/testkit/test.ts";
import { waitFor } from "@tollgate/testkit/wait-for.ts";
import { expect } from "vitest";
import { startGateway } from "./start-gateway.ts";

/** Prices in nano-USD per token. */
export const INPUT_PRICE = 1_000n;
export const OUTPUT_PRICE = 2_000n;

interface BilledStart {
  /** Additional fields of the `billing` section as YAML, such as `overdraft: 1000`. */
  readonly billing?: string;
  /** Additional models as YAML list entries; `{origin}` is replaced with the upstream's origin. */
  readonly models?: string;
  /** Additional settings sections as YAML. */
  readonly yaml?: string;
  readonly redisUrl?: string;
  /** Overrides the database connection string, for example to go through a proxy. */
  readonly connectionString?: string;
  readonly journalRoot?: string;
  /** Secret keys that decrypt stored model credentials. */
  readonly secretKeys?: readonly Secret[];
  readonly logger?: Logger;
}

export interface BilledGateway {
  readonly url: string;
  /** Records of all calls that reached accounting. */
  readonly records: readonly CallRecord[];
  chat(key: string, fields?: object, init?: { signal?: AbortSignal; callId?: string }): Promise<Response>;
  reload(start: BilledStart): Promise<void>;
  stop(): Promise<void>;
}

/** One row of `usage_events`. */
export interface UsageRow {
  readonly id: string;
  readonly request_id: string;
  readonly organization_id: string;
  readonly status: string;
  readonly http_status: number;
  readonly error_code: string | null;
  readonly input_tokens: bigint;
  readonly output_tokens: bigint;
  readonly usage_source: string;
  readonly price_version_id: string | null;
  readonly cost: bigint;
  readonly hold: bigint;
  readonly model_group: string;
  readonly attempts: number;
  readonly fallback_from: string | null;
}

/** The test database with tenants and gateways. */
export interface Tollgate {
  start(start?: BilledStart): Promise<BilledGateway>;
  addTenant(options: TenantOptions): Promise<Tenant>;
  addBudget(tenant: Tenant, scope: "key" | "team", amount: NanoUsd, period?: string): Promise<void>;
  addCredit(tenant: Tenant, amount: NanoUsd): Promise<void>;
  /** Lowers the balance with an adjustment, not through usage. */
  takeCredit(tenant: Tenant, amount: NanoUsd): Promise<void>;
  balanceOf(tenant: Tenant): Promise<NanoUsd>;
  /** Returns the tenant's settled calls, oldest first. */
  calls(tenant: Tenant): Promise<readonly UsageRow[]>;
  /** Waits until `count` calls are settled, then returns them. */
  settled(tenant: Tenant, count: number): Promise<readonly UsageRow[]>;
}

const STOP_MS = 2_000;
// The segments are small, because preparing segments of the default size takes longer than most of these tests.
const JOURNAL_SIZES = { segmentBytes: 256 * 1024, emergencyBytes: 128 * 1024 };
/** The check of the ledger that depends on the admission rules. */
const OVERDRAFTS = "R12";
const logger = { info: () => {}, warn: () => {}, error: () => {} };

/** A test with gateways that bill. After each test, all calls are settled and the ledger is checked for consistency. */
export const test = engines.extend("tollgate", async ({ database, upstreams }, { onCleanup }): Promise<Tollgate> => {
  const platform = database.connect("tollgate_platform");
  const worker = database.connect("tollgate_worker");
  const running: BilledGateway[] = [];
  const folders: string[] = [];
  const tenants: Tenant[] = [];
  let admission = STRICT_ADMISSION;
  let entries = 0;
  onCleanup(async () => {
    for (const gateway of running) await gateway.stop();
    for (const folder of folders) await rm(folder, { recursive: true, force: true });
    const { checks } = await findBrokenInvariants(worker, { isAtRest: true, isDrained: true, admission });
    const organizations = new Set<string | null>(tenants.map(({ organizationId }) => organizationId));
    // Other tests in the file may use more permissive admission rules, so each test checks only the overdrafts of its own
    // organizations.
    const concernsTest = ({ id, differing, differences }: CheckReport) =>
      id !== OVERDRAFTS ||
      differing > differences.length ||
      differences.some(({ organizationId }) => organizations.has(organizationId));
    const broken = checks.filter((check) => !check.ok && concernsTest(check));
    expect(broken, "broken ledger invariants").toEqual([]);
  });

  const start = async (options: BilledStart = {}): Promise<BilledGateway> => {
    let { journalRoot } = options;
    if (journalRoot === undefined) {
      journalRoot = await mkdtemp(join(tmpdir(), "tollgate-billed-"));
      folders.push(journalRoot);
    }
    const records: CallRecord[] = [];
    const settings = settingsOf(options, upstreams.alpha.origin);
    // If the gateways have different overdrafts, the final check uses the admission rules with the highest overdraft.
    if (settings.billing.admission.overdraft >= admission.overdraft) admission = settings.billing.admission;
    const gateway = await startGateway({
      settings,
      connectionString: options.connectionString ?? database.connectionString,
      target: { host: "127.0.0.1", port: 0 },
      secretKeys: options.secretKeys ?? [],
      mounted: null,
      journalRoot,
      journalSizes: JOURNAL_SIZES,
      index: 0,
      processes: 1,
      redisUrl: options.redisUrl ?? null,
      natsUrl: null,
      recorder: (record) => records.push(record),
      logger: options.logger ?? logger,
      onJournalFailed: () => {},
    });
    let stopping: Promise<void> | null = null;
    const url = `http://127.0.0.1:${gateway.port}`;
    const billed: BilledGateway = {
      url,
      records,
      chat: (key, fields = {}, { signal, callId } = {}) =>
        fetch(`${url}/v1/chat/completions`, {
          method: "POST",
          headers: {
            "content-type": "application/json",
            "x-gw-api-key": key,
            ...(callId !== undefined && { "x-gw-call-id": callId }),
          },
          body: JSON.stringify({ model: "metered", messages: [{ role: "user", content: "hello" }], ...fields }),
          ...(signal && { signal }),
        }),
      reload: (next) => gateway.reload(settingsOf(next, upstreams.alpha.origin)),
      stop: () => {
        stopping ??= gateway.stop(STOP_MS);
        return stopping;
      },
    };
    running.push(billed);
    return billed;
  };

  const post = (kind: "grant" | "adjustment", { organizationId }: Tenant, amount: NanoUsd) =>
    runAsAdministrator(platform, async (transaction) => {
      entries += 1;
      const idempotencyKey = `${kind}:${organizationId}:${entries}`;
      await postSystemCredit(transaction, { kind, organizationId, amount, idempotencyKey, reason: "Test credit" });
    });

  return {
    start,
    addTenant: async (options) => {
      const tenant = await addTenant(platform, options);
      tenants.push(tenant);
      return tenant;
    },
    addBudget: ({ organizationId, keyId, teamId }, scope, amount, period = "none") =>
      runAsAdministrator(platform, (transaction) =>
        setBudget(transaction, { organizationId, scope, scopeId: scope === "key" ? keyId : teamId, amount, period }),
      ),
    addCredit: (tenant, amount) => post("grant", tenant, amount),
    takeCredit: (tenant, amount) => post("adjustment", tenant, -amount),
    balanceOf: async ({ organizationId }) => (await readQuota(worker, organizationId))?.balance ?? 0n,
    calls: ({ organizationId }) => usageRows(database.connectionString, organizationId),
    settled: ({ organizationId }, count) =>
      waitFor(`${count} settled calls`, async () => {
        const rows = await usageRows(database.connectionString, organizationId);
        if (rows.length > count) throw new Error(`${rows.length} calls are settled`);
        return rows.length === count ? rows : null;
      }),
  };
});

/**
 * Returns settings in which `metered` bills input and output, `flat` bills output only, `free` is free, and `unpriced`
 * has no price.
 */
function settingsOf({ billing = "", models = "", yaml = "" }: BilledStart, origin: string) {
  const target = `api_base: "${origin}/v1", api_key: sk-upstream-0123456789`;
  const cost = (input: bigint, output: bigint) =>
    `input_cost_per_token: ${inUsd(input)}, output_cost_per_token: ${inUsd(output)}`;
  return testSettings(`
model_list:
  - { model_name: metered, litellm_params: { model: openai/m1, ${target}, ${cost(INPUT_PRICE, OUTPUT_PRICE)} }, model_info: { id: metered-1 } }
  - { model_name: flat, litellm_params: { model: openai/m2, ${target}, ${cost(0n, OUTPUT_PRICE)} }, model_info: { id: flat-1 } }
  - { model_name: free, litellm_params: { model: openai/m3, ${target}, ${cost(0n, 0n)} }, model_info: { id: free-1 } }
  - { model_name: unpriced, litellm_params: { model: openai/m4, ${target} }, model_info: { id: unpriced-1 } }
${models.replaceAll("{origin}", origin)}
billing: { provider: fake${billing === "" ? "" : `, ${billing}`} }
${yaml}
`);
}

/** Formats nano-USD as a decimal USD amount. */
function inUsd(nano: bigint): string {
  return `0.${nano.toString().padStart(9, "0")}`;
}

async function usageRows(connectionString: string, organizationId: string): Promise<UsageRow[]> {
  const rows = await querySql<Record<string, string>>(
    connectionString,
    `select id, request_id, organization_id, status, http_status, error_code, input_tokens, output_tokens, usage_source,
       price_version_id, cost, hold, model_group, attempts, fallback_from
     from usage_events where organization_id = '${organizationId}' order by id`,
  );
  const amounts = ["input_tokens", "output_tokens", "cost", "hold"];
  return rows.map((row) => {
    const typed = Object.entries(row).map(([name, value]) => [name, amounts.includes(name) ? BigInt(value) : value]);
    return Object.fromEntries(typed) as UsageRow;
  });
}
