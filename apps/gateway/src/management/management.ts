import type { NanoUsd } from "@tollgate/domain/money.ts";

/**
 * The manager that the request's key identifies. The permissions of the key's creator are looked up for each operation.
 */
export interface Manager {
  readonly keyId: string;
  /** True for the master key, which has access to all organizations. */
  readonly isMaster: boolean;
  readonly userId: number | null;
  readonly teamId: string | null;
  readonly organizationId: string | null;
  /** Routes that the key can use; null for the default routes. */
  readonly allowedRoutes: readonly string[] | null;
  /** Request ID in the audit log. */
  readonly requestId: string;
}

/** Identifies a key by its ID or by the digest of its secret. */
export type KeyName = { readonly id: string } | { readonly hash: Buffer };

export interface RecordLimits {
  readonly rpm: number | null;
  readonly tpm: number | null;
  readonly maxParallel: number | null;
  readonly modelRpm: Readonly<Record<string, number>>;
  readonly modelTpm: Readonly<Record<string, number>>;
}

export interface RecordBudget {
  readonly limit: NanoUsd;
  readonly period: string;
  /** Spend in the current period. */
  readonly spent: NanoUsd;
  readonly resetsAt: Date | null;
}

interface KeptRecord {
  readonly id: string;
  readonly organizationId: string;
  readonly name: string;
  readonly models: readonly string[];
  readonly tags: readonly string[];
  readonly guardrails: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly limits: RecordLimits;
  readonly budget: RecordBudget | null;
  /** Total spend. */
  readonly spent: NanoUsd;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

export interface KeyState extends KeptRecord {
  /** SHA-256 of the secret, as hex. */
  readonly tokenHash: string;
  readonly lastFour: string;
  readonly teamId: string;
  readonly userId: number | null;
  readonly isDisabled: boolean;
  readonly allowedRoutes: readonly string[] | null;
  readonly aliases: Readonly<Record<string, string>>;
  readonly expiresAt: Date | null;
  readonly lastUsedAt: Date | null;
}

export interface TeamState extends KeptRecord {
  readonly status: "active" | "blocked";
  readonly modelAliases: Readonly<Record<string, string>>;
  readonly members: readonly { readonly userId: number; readonly email: string; readonly role: "admin" | "member" }[];
}

/** Requested changes to a budget. Null removes the limit or the period, and absent fields stay unchanged. */
export interface BudgetPatch {
  readonly limit?: NanoUsd | null;
  readonly period?: string | null;
}

/** Requested fields of a key or team. Absent fields stay unchanged, or get their default. */
export interface RecordPatch {
  readonly name?: string;
  readonly models?: readonly string[];
  readonly rpm?: number | null;
  readonly tpm?: number | null;
  readonly maxParallel?: number | null;
  readonly modelRpm?: Readonly<Record<string, number>>;
  readonly modelTpm?: Readonly<Record<string, number>>;
  readonly tags?: readonly string[];
  readonly guardrails?: readonly string[];
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly budget?: BudgetPatch;
  readonly isBlocked?: boolean;
}

export interface KeyPatch extends RecordPatch {
  readonly teamId?: string;
  readonly userId?: number;
  readonly aliases?: Readonly<Record<string, string>>;
  readonly allowedRoutes?: readonly string[] | null;
  readonly expiresAt?: Date | null;
}

export interface TeamPatch extends RecordPatch {
  readonly organizationId?: string;
  readonly modelAliases?: Readonly<Record<string, string>>;
}

/** Identifies a user by ID or by email address. */
export type PersonName = { readonly userId: number } | { readonly email: string };

export interface MemberPatch {
  readonly person: PersonName;
  readonly role: "admin" | "member";
}

export interface PageParams {
  readonly page: number;
  readonly pageSize: number;
}

export interface KeyFilter {
  readonly teamId: string | null;
  readonly userId: number | null;
  readonly organizationId: string | null;
  readonly name: string | null;
  readonly key: KeyName | null;
}

export interface TeamFilter {
  readonly organizationId: string | null;
  readonly userId: number | null;
  readonly name: string | null;
}

/** Selects the calls in a report. `from` is inclusive and `to` is exclusive. */
export interface SpendFilter {
  readonly from: Date;
  readonly to: Date;
  readonly organizationId: string | null;
  readonly teamIds: readonly string[] | null;
  readonly key: KeyName | null;
  readonly userId: number | null;
  readonly models: readonly string[] | null;
  readonly requestId: string | null;
}

/** One call as recorded in the ledger. */
export interface SpentCall {
  readonly id: string;
  readonly requestId: string;
  readonly organizationId: string;
  readonly teamId: string | null;
  readonly keyId: string;
  readonly keyHash: string | null;
  readonly keyName: string | null;
  readonly userId: string | null;
  readonly endUser: string | null;
  readonly model: string;
  readonly provider: string | null;
  readonly deploymentId: string | null;
  readonly endpoint: string;
  readonly status: "success" | "error" | "cancelled" | "refused";
  readonly httpStatus: number;
  readonly errorCode: string | null;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cachedTokens: number;
  readonly reasoningTokens: number;
  readonly cost: NanoUsd;
  readonly startedAtMs: number;
  readonly latencyMs: number;
  readonly firstTokenMs: number | null;
  readonly attempts: number;
  readonly fallbackFrom: string | null;
}

/** Totals for one day, team, key, and model. */
export interface SpentDay {
  /** `YYYY-MM-DD`, in UTC. */
  readonly day: string;
  readonly teamId: string;
  readonly keyId: string;
  readonly model: string;
  readonly provider: string;
  readonly requests: number;
  readonly errors: number;
  readonly promptTokens: number;
  readonly completionTokens: number;
  readonly cachedTokens: number;
  readonly cost: NanoUsd;
}

/** Names of the teams and keys that totals refer to by ID. */
export interface SpendNames {
  readonly teams: ReadonlyMap<string, string>;
  readonly keys: ReadonlyMap<string, { readonly hash: string; readonly name: string; readonly teamId: string }>;
}

/** Requested fields of a model in the database. */
export interface ModelPatch {
  /** Model name that callers use. */
  readonly groupName?: string;
  readonly provider?: string;
  readonly upstreamModel?: string;
  readonly apiBase?: string | null;
  /** API key, which is encrypted before it is stored and never returned. */
  readonly apiKey?: string;
  /** Provider on the platform whose URL and credential the model uses. */
  readonly credentialName?: string;
  readonly type?: ModelType;
  readonly maxInputTokens?: number | null;
  readonly maxOutputTokens?: number | null;
  readonly params?: Readonly<Record<string, unknown>>;
  /** Prices in pico-USD per token, second, character, or image. */
  readonly prices?: ModelPricePatch;
}

export interface ModelPricePatch {
  readonly input?: bigint | null;
  readonly output?: bigint | null;
  readonly cacheRead?: bigint | null;
  readonly perImage?: bigint | null;
  readonly perSecond?: bigint | null;
  readonly perCharacter?: bigint | null;
}

export type ModelType =
  | "chat"
  | "completion"
  | "embedding"
  | "image"
  | "moderation"
  | "speech"
  | "transcription"
  | "rerank";

/** Model in the database, without its credential. */
export interface ModelState {
  /** Deployment ID. */
  readonly id: string;
  readonly groupName: string;
  readonly model: string;
  readonly apiBase: string | null;
  readonly type: ModelType;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/**
 * Manages keys, teams, spend, and models. The platform's API returns the same records. Every operation checks the
 * manager's permissions and writes a row to the audit log. Other owners' records are reported as not found.
 */
export interface Management {
  generateKey(manager: Manager, patch: KeyPatch): Promise<MadeKey>;
  updateKey(manager: Manager, name: KeyName, patch: KeyPatch): Promise<KeyState>;
  /** Deletes either all of the keys or none of them. Returns the digests of the deleted keys. */
  deleteKeys(manager: Manager, names: readonly KeyName[]): Promise<readonly string[]>;
  regenerateKey(manager: Manager, name: KeyName, patch: KeyPatch, graceMs: number): Promise<MadeKey>;
  findKey(manager: Manager, name: KeyName): Promise<KeyState>;
  /** Returns the calling key's own record, regardless of its creator's permissions. */
  findOwnKey(manager: Manager): Promise<KeyState>;
  listKeys(manager: Manager, filter: KeyFilter, page: PageParams): Promise<Paged<KeyState>>;

  createTeam(manager: Manager, patch: TeamPatch, members: readonly MemberPatch[]): Promise<TeamState>;
  updateTeam(manager: Manager, teamId: string, patch: TeamPatch): Promise<TeamState>;
  deleteTeams(manager: Manager, teamIds: readonly string[]): Promise<void>;
  addMembers(manager: Manager, teamId: string, members: readonly MemberPatch[]): Promise<TeamState>;
  updateMember(manager: Manager, teamId: string, member: MemberPatch): Promise<TeamState>;
  removeMember(manager: Manager, teamId: string, person: PersonName): Promise<TeamState>;
  findTeam(manager: Manager, teamId: string): Promise<{ readonly team: TeamState; readonly keys: readonly KeyState[] }>;
  listTeams(manager: Manager, filter: TeamFilter, page: PageParams): Promise<Paged<TeamState>>;

  listSpend(manager: Manager, filter: SpendFilter, page: PageParams): Promise<Paged<SpentCall>>;
  sumSpend(
    manager: Manager,
    filter: SpendFilter,
  ): Promise<{ readonly days: readonly SpentDay[]; readonly names: SpendNames }>;

  createModel(manager: Manager, patch: ModelPatch): Promise<ModelState>;
  updateModel(manager: Manager, id: string, patch: ModelPatch): Promise<ModelState>;
  deleteModel(manager: Manager, id: string): Promise<void>;
}

export interface MadeKey {
  readonly key: KeyState;
  /** Plaintext secret. Only this result contains it. */
  readonly secret: string;
}

export interface Paged<Item> {
  readonly items: readonly Item[];
  readonly total: number;
}
