import { rehashAudit, type TamperCase } from "./tamper-case.ts";

/** Deletes all rows of an organization, in every table that names it. */
export function deleteOrganization(organizationId: string): string {
  return `
    create temporary table gone as select id from ledger_transactions where organization_id = '${organizationId}';
    delete from ledger_postings where transaction_id in (select id from gone);
    delete from audit_personal where audit_id in (select id from audit_log where organization_id = '${organizationId}');
    do $$
    declare
      owner regclass;
    begin
      for owner in select a.attrelid::regclass from pg_attribute a join pg_class c on c.oid = a.attrelid
          where a.attname = 'organization_id' and not a.attisdropped and c.relkind in ('r', 'p') and not c.relispartition
            and c.relnamespace = 'public'::regnamespace loop
        execute format('delete from %s where organization_id = %L', owner, '${organizationId}');
      end loop;
    end $$;
    delete from organizations where id = '${organizationId}';`;
}

/** The audit log, members, users, teams, and organizations. */
export const stateCases: readonly TamperCase[] = [
  {
    name: "tamper-audit-row-deleted",
    what: "an audit row deleted from the middle",
    rule: "I8",
    sql: ({ payer }) => `delete from audit_personal where audit_id in
        (select id from audit_log where organization_id = '${payer.organizationId}' and seq = 2);
      delete from audit_log where organization_id = '${payer.organizationId}' and seq = 2`,
  },
  {
    name: "tamper-audit-row-changed",
    what: "the actor of an audit row changed",
    rule: "I8",
    isQuick: true,
    sql: ({ payer }) => `update audit_log set actor = jsonb_set(actor, '{id}', '2')
      where organization_id = '${payer.organizationId}' and seq = 2`,
  },
  {
    name: "tamper-audit-personal",
    what: "the personal data of an audit row replaced",
    rule: "I8",
    sql: () => `update audit_personal set personal = '{"email": "mallory@example.org"}' where personal is not null`,
  },
  {
    name: "tamper-audit-organization",
    what: "the audit log of an organization deleted",
    rule: "I9",
    isQuick: true,
    sql: ({ payer }) => `delete from audit_personal where audit_id in
        (select id from audit_log where organization_id = '${payer.organizationId}');
      delete from audit_log where organization_id = '${payer.organizationId}'`,
  },
  {
    name: "tamper-audit-log",
    what: "the whole audit log deleted",
    rule: "I10",
    sql: () => "delete from audit_personal; delete from audit_log",
  },
  {
    name: "tamper-member-owner",
    what: "a member made owner",
    rule: "I10",
    isQuick: true,
    sql: ({ memberId }) => `update organization_members set role = 'owner' where user_id = ${memberId}`,
  },
  {
    name: "tamper-member-added",
    what: "a user added to an organization",
    rule: "I10",
    sql: ({ memberId, signedUp }) => `insert into organization_members (organization_id, user_id, role, joined_at)
      values ('${signedUp.organizationId}', ${memberId}, 'admin', now() - interval '1 year')`,
  },
  {
    name: "tamper-member-deleted",
    what: "a member deleted",
    rule: "I10",
    sql: ({ memberId }) => `delete from team_members where user_id = ${memberId};
      delete from organization_members where user_id = ${memberId}`,
  },
  {
    name: "tamper-team-admin",
    what: "a team member made admin of the team",
    rule: "I10",
    sql: ({ memberId }) => `update team_members set role = 'admin' where user_id = ${memberId}`,
  },
  {
    name: "tamper-administrator",
    what: "a user made administrator of the server",
    rule: "I10",
    sql: ({ memberId }) =>
      `update users set role = 'admin', administrator_since = to_timestamp(0) where id = ${memberId}`,
  },
  {
    name: "tamper-user-added",
    what: "an administrator inserted",
    rule: "I10",
    sql: () => "insert into users (email, name, role) values ('mallory@example.org', 'Mallory', 'admin')",
  },
  {
    name: "tamper-user-enabled",
    what: "a disabled user enabled",
    rule: "I10",
    sql: ({ disabledId }) => `update users set status = 'active' where id = ${disabledId}`,
  },
  {
    name: "tamper-user-deleted",
    what: "a user deleted with all memberships",
    rule: "I10",
    sql: ({ memberId }) => `delete from team_members where user_id = ${memberId};
      delete from organization_members where user_id = ${memberId}; delete from users where id = ${memberId}`,
  },
  {
    name: "tamper-team-unblocked",
    what: "a team enabled that an administrator blocked",
    rule: "I10",
    sql: ({ blockedTeamId }) =>
      `update teams set status = 'active', blocked_reason = null, blocked_at = null where id = '${blockedTeamId}'`,
  },
  {
    name: "tamper-debtor-unblocked",
    what: "a team enabled that is blocked for a negative balance",
    rule: "R7",
    isQuick: true,
    sql: ({ debtor }) =>
      `update teams set status = 'active', blocked_reason = null, blocked_at = null where id = '${debtor.teamId}'`,
  },
  {
    name: "tamper-organization-row",
    what: "the row of an organization deleted",
    rule: "I11",
    sql: ({ payer }) => `delete from organizations where id = '${payer.organizationId}'`,
  },
  {
    name: "tamper-organization",
    what: "an organization deleted with all its rows",
    rule: "I11",
    sql: ({ signedUp }) => deleteOrganization(signedUp.organizationId),
  },
  {
    name: "tamper-role-rehashed",
    what: "the entry about a user's role deleted, with every hash of the chain computed again",
    rule: "I10",
    sql: ({ disabledId }) => `
      delete from audit_personal where audit_id in (select id from audit_log where action = 'user.disabled');
      delete from audit_log where action = 'user.disabled' and target ->> 'id' = '${disabledId}';
      ${rehashAudit(null)}`,
  },
];
