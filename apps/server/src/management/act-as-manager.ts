import { Failure, type FailureCode } from "@tollgate/contracts/failures.ts";
import { ManagementFailure } from "@tollgate/contracts/management/failure.ts";
import type { AuditActor } from "@tollgate/db/audit/write-audit.ts";
import type { Database } from "@tollgate/db/connect.ts";
import { isDatabaseUnavailable } from "@tollgate/db/database-away.ts";
import { findManager } from "@tollgate/db/members/find-manager.ts";
import {
  becomeAdministrator,
  runAsAdministrator,
  runInOrganization,
  type TenantTransaction,
} from "@tollgate/db/tenancy.ts";
import { type Action, describeWhoMay, may, type Roles } from "@tollgate/domain/roles/permissions.ts";
import type { OrganizationRole, TeamRole } from "@tollgate/domain/roles/roles.ts";
import type { Manager } from "@tollgate/gateway/management/management.ts";
import type { PlatformSettings } from "@tollgate/runtime/settings/platform-settings.ts";

export interface ManagementParts {
  /** In the platform's role: it sees nothing until it says whom it acts for. */
  readonly db: Database;
  readonly settings: () => PlatformSettings;
  readonly now: () => Date;
}

/** One operation of a manager, in one transaction. */
export interface OwnerContext {
  readonly transaction: TenantTransaction;
  readonly manager: Manager;
  /** Null for administrators of the installation, who may do everything everywhere. */
  readonly member: MemberContext | null;
  readonly now: Date;
  readonly limits: PlatformSettings["limits"];
  /** For how many days calls are shown, unless their organization wants fewer. */
  readonly retentionDays: number;
}

/** Somebody who stands somewhere in the organization of the key they sent, and nowhere else. */
export interface MemberContext {
  readonly organizationId: string;
  readonly userId: number;
  readonly role: OrganizationRole;
  readonly teams: Readonly<Record<string, TeamRole>>;
}

/** Runs the work with what the key's maker may do at this moment. Refusals of the platform's rules become the gateway's. */
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

/** Refuses whoever may not do this there. A foreign organization is one that is not there. */
export function requirePermission(
  { member }: OwnerContext,
  action: Action,
  organizationId: string,
  teamId: string | null = null,
): void {
  if (member === null) return;
  if (member.organizationId !== organizationId) throw absent("team");
  if (!may(rolesIn(member, teamId), action)) throw forbidden(`Only ${describeWhoMay(action)} can do this.`);
}

/** Refuses whoever does not administer the installation. */
export function requireAdministrator({ member }: OwnerContext): void {
  if (member !== null) throw forbidden("This operation requires the master key or a platform administrator's key.");
}

export function rolesIn({ role, teams }: MemberContext, teamId: string | null): Roles {
  return { organization: role, team: teamId === null ? null : (teams[teamId] ?? null) };
}

/** The teams whose records they see; null for all. */
export function visibleTeams({ member }: OwnerContext): readonly string[] | null {
  return member === null || may({ organization: member.role }, "see_all_teams") ? null : Object.keys(member.teams);
}

/** Who made a change, as the audit log names them: the key, and its maker as whom it is about. */
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

/** A refusal of the platform's rules, or a database that is away, in the gateway's words; anything else as it is. */
export function asFailure(error: unknown): unknown {
  if (error instanceof ManagementFailure) {
    const code = codesByStatus.get(error.status) ?? "internal_error";
    const [param] = Object.keys((error.facts.details?.fields as object | undefined) ?? {});
    return new Failure(code, error.message, { cause: error, ...(param !== undefined && { param }) });
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

/** What Postgres says of values it has no room for, such as a zero byte in a text. */
const UNKEEPABLE = /^(?:22\d\d\d|22P0\d|23514)$/;

const codesByStatus: ReadonlyMap<number, FailureCode> = new Map([
  [400, "invalid_request"],
  [403, "admin_only"],
  [404, "not_found"],
  [409, "conflict"],
  [503, "service_unavailable"],
]);
