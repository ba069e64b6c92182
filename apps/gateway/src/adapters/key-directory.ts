import { Failure } from "@tollgate/contracts/failures.ts";
import type { Notice } from "@tollgate/db/change-notifications.ts";
import type { KeyRecord } from "@tollgate/db/keys/find-key-by-hash.ts";
import { hashApiKey, MASTER_KEY_ID } from "@tollgate/domain/api-keys.ts";
import { parsePeriod, windowAt } from "@tollgate/domain/credit/budget-window.ts";
import type { HeldBudget } from "@tollgate/domain/credit/hold.ts";
import type { Secret } from "@tollgate/domain/secret.ts";
import { encodeIdentity } from "@tollgate/journal/record-blocks.ts";
import type { Caller, CallerBudget, CallerBudgets } from "../call/caller.ts";
import type { KeyDirectory } from "../pipeline/authenticate.ts";

const FRESH_MS = 5_000;
/**
 * Age at which a busy key is refreshed in the background, so that no call waits for the read. A current change feed is
 * read more often, so it refreshes no key.
 */
const REFRESH_AHEAD_MS = 4_500;
const STALE_IF_ERROR_MS = 60_000;
/** The change feed confirms a key for this time. Then the key is read again, in case the feed missed a change. */
const MAX_CONFIRMED_MS = 600_000;
const MAX_ENTRIES = 100_000;

interface Entry {
  readonly caller: Caller | null;
  readonly readAtMs: number;
  /** When the key was known to be unchanged, apart from what the change feed confirms. */
  confirmedAtMs: number;
  /** When the rotated secret that the key was found by stops working. */
  readonly endsAtMs: number;
  /** True if the key may have changed. Only another read can confirm it. */
  isDoubted: boolean;
}

const noLists = { key: [], team: [], user: [], organization: [] };
const noLimits = { rpm: null, tpm: null, maxParallel: null, modelRpm: {}, modelTpm: {} };

/**
 * An in-memory cache of keys in front of the database. A hit is one map lookup, and concurrent misses share one read.
 * A key is fresh for five seconds after it was read, or after the change feed confirmed that it is unchanged. While the
 * database is unavailable, known keys work for another minute, and unknown keys get a retryable error instead of an
 * invalid key error.
 */
export class CachedKeyDirectory implements KeyDirectory {
  readonly #read: (hash: Buffer) => Promise<KeyRecord | null>;
  readonly #now: () => number;
  readonly #entries = new Map<string, Entry>();
  readonly #reading = new Map<string, Promise<Caller | null>>();
  /** Number of evictions. A read that began before an eviction must not restore the evicted entry. */
  #evictions = 0;
  /** All changes that were committed before this time have been passed to `evict`. */
  #feedAtMs = Number.NEGATIVE_INFINITY;
  #masterDigest: string | null = null;
  #master: Caller | null = null;

  constructor(read: (hash: Buffer) => Promise<KeyRecord | null>, now: () => number) {
    this.#read = read;
    this.#now = now;
  }

  /** Sets the master key, which has all permissions and needs no database. */
  setMasterKey(key: Secret | null): void {
    this.#masterDigest = key === null ? null : hashApiKey(key.reveal()).toString("hex");
    this.#master = key === null ? null : masterCaller();
  }

  /** The master key's caller; null if no master key is configured. */
  get master(): Caller | null {
    return this.#master;
  }

  recall(digest: string): Caller | null | undefined {
    if (digest === this.#masterDigest) return this.#master;
    const entry = this.#entries.get(digest);
    if (entry === undefined) return undefined;
    const nowMs = this.#now();
    const ageMs = nowMs - this.#confirmedAtMs(entry);
    if (entry.isDoubted || ageMs >= FRESH_MS || nowMs >= entry.endsAtMs) return undefined;
    if (ageMs > REFRESH_AHEAD_MS) this.#readOnce(digest, entry).catch(() => {});
    return entry.caller;
  }

  find(digest: string): Caller | null | Promise<Caller | null> {
    const known = this.recall(digest);
    return known === undefined ? this.#readOnce(digest, this.#entries.get(digest)) : known;
  }

  /** Evicts the entries that a change notification affects. */
  evict(notice: Notice): void {
    // Changes to credit and models don't affect this cache, because it stores neither.
    if (notice.kind === "recall" || notice.kind === "credit" || notice.kind === "catalog") return;
    this.#evictions += 1;
    // Reads in flight may have seen the old state, so later lookups start a new read.
    this.#reading.clear();
    if (notice.kind === "key") for (const digest of notice.hashes) this.#entries.delete(digest);
    // Any key may have changed, so all entries become stale. They stay usable while the database is unavailable.
    else if (notice.kind === "everything") for (const entry of this.#entries.values()) this.#doubt(entry);
    else {
      const owner = { team: "teamId", organization: "organizationId", user: "userId" } as const;
      for (const [digest, { caller }] of this.#entries)
        if (caller?.[owner[notice.kind]] === notice.id) this.#entries.delete(digest);
    }
  }

  /** Confirms all entries: every change that was committed before this time has been passed to `evict`. */
  confirm(atMs: number): void {
    this.#feedAtMs = atMs;
  }

  #doubt(entry: Entry): void {
    entry.confirmedAtMs = this.#confirmedAtMs(entry);
    entry.isDoubted = true;
  }

  #confirmedAtMs({ readAtMs, confirmedAtMs, endsAtMs, isDoubted }: Entry): number {
    // Only the database's clock says for certain when a rotated secret ends, so the feed doesn't confirm such a key.
    if (isDoubted || endsAtMs !== Number.POSITIVE_INFINITY) return confirmedAtMs;
    return Math.max(confirmedAtMs, Math.min(this.#feedAtMs, readAtMs + MAX_CONFIRMED_MS));
  }

  #readOnce(digest: string, stale: Entry | undefined): Promise<Caller | null> {
    const running = this.#reading.get(digest);
    if (running !== undefined) return running;
    const reading = this.#readNow(digest, stale).finally(() => {
      if (this.#reading.get(digest) === reading) this.#reading.delete(digest);
    });
    this.#reading.set(digest, reading);
    return reading;
  }

  async #readNow(digest: string, stale: Entry | undefined): Promise<Caller | null> {
    const evictions = this.#evictions;
    try {
      const record = await this.#read(Buffer.from(digest, "hex"));
      const caller = record === null ? null : toCaller(record);
      if (evictions === this.#evictions) this.#remember(digest, caller, record?.graceEndsAt ?? null);
      return caller;
    } catch (error) {
      const nowMs = this.#now();
      const isUsable =
        stale !== undefined &&
        stale.caller !== null &&
        nowMs < stale.endsAtMs &&
        nowMs - this.#confirmedAtMs(stale) < STALE_IF_ERROR_MS &&
        this.#entries.get(digest) === stale;
      if (isUsable) return stale.caller;
      throw new Failure("DB_TIMEOUT", "API keys could not be verified. Try again shortly.", { cause: error });
    }
  }

  #remember(digest: string, caller: Caller | null, graceEndsAt: Date | null): void {
    const readAtMs = this.#now();
    const graceMs = graceEndsAt === null ? Number.POSITIVE_INFINITY : Math.max(0, graceEndsAt.getTime() - Date.now());
    this.#entries.delete(digest);
    const endsAtMs = readAtMs + graceMs;
    this.#entries.set(digest, { caller, readAtMs, confirmedAtMs: readAtMs, endsAtMs, isDoubted: false });
    if (this.#entries.size <= MAX_ENTRIES) return;
    const oldest = this.#entries.keys().next().value;
    if (oldest !== undefined) this.#entries.delete(oldest);
  }
}

function masterCaller(): Caller {
  return {
    keyId: MASTER_KEY_ID,
    keyName: "master key",
    role: "proxy_admin",
    userId: "default_user_id",
    teamId: null,
    teamName: null,
    organizationId: null,
    isTeamBlocked: false,
    isDisabled: false,
    expiresAtMs: null,
    allowedRoutes: null,
    models: noLists,
    keyAliases: {},
    teamAliases: {},
    organizationName: null,
    limits: { key: noLimits, team: noLimits, organization: noLimits },
    budgets: new BudgetSet([]),
    identity: encodeIdentity({ organizationId: null, teamId: null, keyId: MASTER_KEY_ID, userId: null }),
    rpmLimit: null,
    tpmLimit: null,
    keepsContent: false,
    tags: [],
    guardrails: [],
  };
}

/** Converts a key record to its caller; null if the key is revoked. */
export function toCaller(record: KeyRecord): Caller | null {
  if (record.revokedAt !== null) return null;
  const { team, organization } = record;
  const userId = record.userId === null ? null : String(record.userId);
  return {
    keyId: record.id,
    keyName: record.name,
    role: record.isOfAdministrator ? "proxy_admin" : "internal_user",
    userId,
    teamId: team.id,
    teamName: team.name,
    organizationId: organization.id,
    isTeamBlocked: team.status === "blocked",
    isBlockedByAdministrator: team.blockedReason === "admin",
    isDisabled: record.disabledAt !== null || organization.status === "closed",
    expiresAtMs: record.expiresAt?.getTime() ?? null,
    allowedRoutes: record.allowedRoutes,
    models: { key: record.models, team: team.models, user: [], organization: organization.models },
    keyAliases: record.aliases,
    teamAliases: team.modelAliases,
    organizationName: organization.name,
    limits: {
      key: record.limits,
      team: team.limits,
      organization: { rpm: organization.rpmLimit, tpm: organization.tpmLimit },
    },
    budgets: new BudgetSet(record.budgets.map((budget) => toCallerBudget(budget, record))),
    identity: encodeIdentity({ organizationId: organization.id, teamId: team.id, keyId: record.id, userId }),
    rpmLimit: record.limits.rpm,
    tpmLimit: record.limits.tpm,
    keepsContent: organization.logPrompts,
    tags: [...new Set([...record.tags, ...team.tags])],
    guardrails: [...new Set([...record.guardrails, ...team.guardrails])],
    priceList:
      organization.priceList.length === 0
        ? null
        : new Map(organization.priceList.map(({ modelGroup, terms }) => [modelGroup, terms] as const)),
  };
}

function toCallerBudget(
  { scope, scopeId, amount, period }: KeyRecord["budgets"][number],
  key: KeyRecord,
): CallerBudget {
  const names = { key: key.name, team: key.team.name, user: scopeId, organization: key.organization.name };
  return { scope, scopeId, ownerName: names[scope], limit: amount, period: parsePeriod(period) };
}

/** The budgets that a caller spends from. The budget windows change at most every few seconds, so they are cached. */
export class BudgetSet implements CallerBudgets {
  readonly budgets: readonly CallerBudget[];
  #windows: readonly HeldBudget[] = [];
  #startsAtMs = 0;
  #endsAtMs = 0;

  constructor(budgets: readonly CallerBudget[]) {
    this.budgets = budgets;
  }

  /** Returns the windows that a call at this time belongs to, in budget order. */
  windowsAt(atMs: number): readonly HeldBudget[] {
    if (this.budgets.length === 0) return this.#windows;
    if (atMs >= this.#startsAtMs && atMs < this.#endsAtMs) return this.#windows;
    this.#windows = this.budgets.map(({ scope, scopeId, limit, period }) => ({
      window: { scope, scopeId, ...windowAt(period, atMs) },
      limit,
    }));
    this.#startsAtMs = Math.max(...this.#windows.map(({ window }) => window.startsAtMs));
    this.#endsAtMs = Math.min(...this.#windows.map(({ window }) => window.endsAtMs));
    return this.#windows;
  }
}
