import type { ModelLists } from "@tollgate/domain/routing/model-permission.ts";
import type { LimitedCaller } from "../rate-limits/limit-set.ts";
import type { BudgetSet } from "./account/budget-set.ts";

export type Role = "proxy_admin" | "internal_user";

/** Who calls: a key, its team and organization, and what bounds them. */
export interface Caller {
  readonly keyId: string;
  readonly keyName: string;
  readonly role: Role;
  readonly userId: string | null;
  readonly teamId: string | null;
  readonly teamName: string | null;
  readonly organizationId: string | null;
  readonly isTeamBlocked: boolean;
  /** Blocked by a person, and not for lack of credit: buying some does not help. */
  readonly isBlockedByAdministrator?: boolean;
  readonly isDisabled: boolean;
  readonly expiresAtMs: number | null;
  /** Paths and groups of operations the key may use; null means inference and information. */
  readonly allowedRoutes: readonly string[] | null;
  readonly models: ModelLists;
  readonly keyAliases: Readonly<Record<string, string>>;
  readonly teamAliases: Readonly<Record<string, string>>;
  /** How often it may call, and how many tokens it may use, as key, team and organization say. */
  readonly limits: LimitedCaller["limits"];
  readonly budgets: BudgetSet;
  /** Key, team and organization as the journal writes them. */
  readonly identity: Uint8Array;
  readonly organizationName: string | null;
  readonly rpmLimit: number | null;
  readonly tpmLimit: number | null;
  /** What it asks and is answered is kept for its organization. */
  readonly keepsContent: boolean;
  /** Of the key and its team: which deployments may serve it, where tags decide that. */
  readonly tags: readonly string[];
  /** Of the key and its team: what looks at its calls besides what looks at all of them. */
  readonly guardrails: readonly string[];
}
