import { MASTER_KEY_ID } from "@tollgate/domain/api-keys.ts";
import type { BudgetPeriod, BudgetScope } from "@tollgate/domain/credit/budget-window.ts";
import type { HeldBudget } from "@tollgate/domain/credit/hold.ts";
import type { NanoUsd } from "@tollgate/domain/money.ts";
import type { ModelLists } from "@tollgate/domain/routing/model-permission.ts";
import type { LimitedCaller } from "./caller-limits.ts";
import type { PriceList } from "./price-list.ts";

/**
 * The role of the user who created the key. Administrators of the platform have the role `proxy_admin`, and so does the
 * master key.
 */
type Role = "proxy_admin" | "internal_user";

/** The authenticated caller: a key, its team and organization, and their limits. */
export interface Caller {
  readonly keyId: string;
  readonly keyName: string;
  readonly role: Role;
  readonly userId: string | null;
  readonly teamId: string | null;
  readonly teamName: string | null;
  readonly organizationId: string | null;
  readonly isTeamBlocked: boolean;
  /** True if an administrator blocked the team, in which case buying credit doesn't help. */
  readonly isBlockedByAdministrator?: boolean;
  readonly isDisabled: boolean;
  readonly expiresAtMs: number | null;
  /** Paths and operation groups that the key may use; null means the inference and information groups. */
  readonly allowedRoutes: readonly string[] | null;
  readonly models: ModelLists;
  readonly keyAliases: Readonly<Record<string, string>>;
  readonly teamAliases: Readonly<Record<string, string>>;
  /** Rate limits for the key, team, and organization. */
  readonly limits: LimitedCaller["limits"];
  readonly budgets: CallerBudgets;
  /** Key, team, and organization, encoded for the journal. */
  readonly identity: Uint8Array;
  readonly organizationName: string | null;
  readonly rpmLimit: number | null;
  readonly tpmLimit: number | null;
  /** True if the organization stores requests and responses. */
  readonly keepsContent: boolean;
  /** Tags of the key and its team, for tag-based routing. */
  readonly tags: readonly string[];
  /** Guardrails of the key and its team, in addition to those that apply to all calls. */
  readonly guardrails: readonly string[];
  /** The organization's prices; null or absent if it pays standard prices. */
  readonly priceList?: PriceList | null;
}

/** Reports whether the caller sees what administrators see: URLs of upstreams, and the models of all teams. */
export function isAdministrator({ role }: Pick<Caller, "role">): boolean {
  return role === "proxy_admin";
}

/**
 * Reports whether the caller has the master key, which can use every route and reach every organization's stored data.
 * The key of an administrator can do neither, so that a leaked key for inference manages nothing.
 */
export function isMaster({ keyId }: Pick<Caller, "keyId">): boolean {
  return keyId === MASTER_KEY_ID;
}

/** Reports whether the caller can manage this gateway with this operation, which requires a role and a route. */
export function canManage(caller: Pick<Caller, "keyId" | "role" | "allowedRoutes">, paths: readonly string[]): boolean {
  if (isMaster(caller)) return true;
  const routes = caller.allowedRoutes ?? [];
  return isAdministrator(caller) && (routes.includes("management") || routes.some((route) => paths.includes(route)));
}

/** A spending limit on a caller's key, team, user, or organization. */
export interface CallerBudget {
  readonly scope: BudgetScope;
  readonly scopeId: string;
  /** Name of the budget's owner in refusal messages. */
  readonly ownerName: string;
  readonly limit: NanoUsd;
  readonly period: BudgetPeriod;
}

/** The budgets that a caller spends from. */
export interface CallerBudgets {
  readonly budgets: readonly CallerBudget[];
  /** Returns the windows that a call at this time belongs to, in budget order. */
  windowsAt(atMs: number): readonly HeldBudget[];
}
