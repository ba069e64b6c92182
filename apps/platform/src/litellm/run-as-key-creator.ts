import { gatewayCodeOf, isGatewayCode } from "@tollgate/contracts/failure-table.ts";
import { Failure } from "@tollgate/contracts/failures.ts";
import type { AuditActor } from "@tollgate/db/audit/write-audit.ts";
import type { Database } from "@tollgate/db/connect.ts";
import { isDatabaseUnavailable } from "@tollgate/db/database-errors.ts";
import { findManager } from "@tollgate/db/members/find-manager.ts";
import {
  becomeAdministrator,
  runAsAdministrator,
  runInOrganization,
  type TenantTransaction,
} from "@tollgate/db/tenancy.ts";
import { type Action, may, type Roles } from "@tollgate/domain/roles/permissions.ts";
import type { OrganizationRole, TeamRole } from "@tollgate/domain/roles/roles.ts";
import type { PlatformSettings } from "@tollgate/runtime/settings/platform-settings.ts";
import { requirePermission } from "../organizations/enter-own-organization.ts";

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

export interface ManagementParts {
  /** Connection that uses the platform's database role, which sees no rows until a tenant is set. */
  readonly db: Database;
  readonly settings: () => PlatformSettings;
  readonly now: () => Date;
}

/** Context of one management operation, which runs in one transaction. */
export interface OwnerContext {
  readonly transaction: TenantTransaction;
  readonly manager: Manager;
  /** The key's creator as a member; null for platform administrators, who have all permissions. */
  readonly member: MemberContext | null;
  readonly now: Date;
  readonly limits: PlatformSettings["limits"];
  /** Number of days for which calls are visible, unless the organization sets a lower number. */
  readonly retentionDays: number;
}

/** A member of the organization that the key belongs to. */
interface MemberContext {
  readonly organizationId: string;
  readonly userId: number;
  readonly role: OrganizationRole;
  readonly teams: Readonly<Record<string, TeamRole>>;
}

/** Runs the work with the current permissions of the key's creator. Converts platform errors to failures. */
export async function runAsKeyCreator<T>(
  { db, settings, now }: ManagementParts,
  manager: Manager,
  work: (acting: OwnerContext) => Promise<T>,
): Promise<T> {
  const { limits, usage } = settings();
  const common = { manager, now: now(), limits, retentionDays: usage.retentionDays };
  try {
    if (manager.isMaster) {
      return await runAsAdministrator(db, (transaction) => work({ ...common, transaction, member: null }));
    }
    const { organizationId, userId } = manager;
    if (organizationId === null || userId === null) throw noRole();
    return await runInOrganization(
      db,
      organizationId,
      async (transaction) => {
        const facts = await findManager(transaction, organizationId, userId);
        if (facts?.isAdministrator === true) {
          await becomeAdministrator(transaction);
          return work({ ...common, transaction, member: null });
        }
        if (facts === null || facts.role === null) throw noRole();
        const { role, teams } = facts;
        return work({ ...common, transaction, member: { organizationId, userId, role, teams } });
      },
      userId,
    );
  } catch (error) {
    throw asFailure(error);
  }
}

/** Throws if the action isn't permitted in the team. Other organizations are reported as not found. */
export function requirePermissionIn(
  { member }: OwnerContext,
  action: Action,
  organizationId: string,
  teamId: string | null = null,
): void {
  if (member === null) return;
  if (member.organizationId !== organizationId) throw absent("team");
  requirePermission(rolesIn(member, teamId), action);
}

/** Throws unless the caller is a platform administrator. */
export function requireAdministrator({ member }: OwnerContext): void {
  if (member !== null) throw forbidden("This operation requires the master key or a platform administrator's key.");
}

export function rolesIn({ role, teams }: MemberContext, teamId: string | null): Roles {
  return { organization: role, team: teamId === null ? null : (teams[teamId] ?? null) };
}

/** Returns the IDs of the teams whose records are visible; null for all teams. */
export function visibleTeams({ member }: OwnerContext): readonly string[] | null {
  return member === null || may({ organization: member.role }, "see_all_teams") ? null : Object.keys(member.teams);
}

/** Reports whether a record belongs to another organization. Such a record is treated as not found. */
export function isElsewhere({ member }: OwnerContext, organizationId: string | null): boolean {
  return member !== null && organizationId !== null && organizationId !== member.organizationId;
}

/** Returns the audit actor, which is the key, and the audit subjects, which include the key's creator. */
export function auditActor({ manager }: OwnerContext): {
  readonly actor: AuditActor;
  readonly subjects: readonly number[];
} {
  const { keyId, requestId, userId } = manager;
  return { actor: { type: "key", id: keyId, requestId }, subjects: userId === null ? [] : [userId] };
}

export function absent(what: string): Failure {
  return new Failure("not_found", `${what.charAt(0).toUpperCase()}${what.slice(1)} not found.`);
}

export function forbidden(message: string): Failure {
  return new Failure("admin_only", message);
}

function noRole(): Failure {
  return forbidden(
    "The creator of this key no longer has a role in its organization, so the key cannot manage anything.",
  );
}

/** Converts failures of the platform's rules and database outages to codes of the gateway. Returns other errors unchanged. */
export function asFailure(error: unknown): unknown {
  if (error instanceof Failure && !isGatewayCode(error.code)) {
    const [param] = Object.keys((error.facts.publicDetails?.fields as object | undefined) ?? {});
    return new Failure(gatewayCodeOf(error.code), error.message, {
      cause: error,
      ...(param !== undefined && { param }),
      ...(error.facts.fix !== undefined && { fix: error.facts.fix }),
      ...(error.facts.retryAfterMs !== undefined && { retryAfterMs: error.facts.retryAfterMs }),
    });
  }
  const { code = "" } = error as { readonly code?: string };
  if (UNKEEPABLE.test(code)) {
    return new Failure("invalid_request", "A value is too long or contains unsupported characters.", {
      cause: error,
    });
  }
  if (!isDatabaseUnavailable(error)) return error;
  return new Failure("DB_TIMEOUT", "The database is not responding. Try again shortly.", { cause: error });
}

/** PostgreSQL error codes for values that can't be stored, such as a NUL character in text. */
const UNKEEPABLE = /^(?:22\d\d\d|22P0\d|23514)$/;
