import { type RawBuilder, sql } from "kysely";
import { type Invariant, type Scope, within } from "./invariant.ts";

/**
 * Roles, memberships, and administrators' blocks are state without history. The audit log has their history, so a role
 * that was changed with SQL differs from the last entry about it.
 */
export const rolesAreAudited: Invariant = {
  id: "I10",
  title: "each user, membership, and team block agrees with the last audit entry about it",
  checked: "members",
  differences: (scope) => [
    unauditedMembers(scope),
    unauditedTeamMembers(scope),
    unauditedBlocks(scope),
    ...(scope.organizationId === null ? [unauditedUsers(scope)] : []),
  ],
};

/** Users who were erased. Their memberships ended with them. */
const erased: RawBuilder<unknown> = sql`
  select target ->> 'id' as user_id from audit_log where organization_id is null and action = 'user.deleted'`;

/** Selects what the audit log says about members, in the order of the chain. A sign-up comes before all other entries. */
function memberEntries(scope: Scope): RawBuilder<unknown> {
  return sql`
    select organization_id, after ->> 'ownerId' as user_id, null as team_id, seq, at, 'added' as kind, 'owner' as role
    from audit_log
    where action = 'org.created' and after ->> 'ownerId' is not null and ${within(scope, "organization_id")}
    union all
    select organization_id, after ->> 'creatorId', target ->> 'id', seq, at, 'added', 'admin'
    from audit_log
    where action = 'team.created' and after ->> 'creatorId' is not null and ${within(scope, "organization_id")}
    union all
    select founded.organization_id, target ->> 'id', founded.team_id, 0, at, 'added', founded.role
    from audit_log
    cross join lateral (values (after ->> 'organizationId', null, 'owner'),
      (after ->> 'organizationId', after ->> 'teamId', 'admin')) as founded (organization_id, team_id, role)
    where action = 'user.signed_up' and founded.organization_id is not null
      and (founded.role = 'owner' or founded.team_id is not null) and ${within(scope, "founded.organization_id")}
    union all
    select organization_id, target ->> 'id', coalesce(after ->> 'teamId', before ->> 'teamId'), seq, at,
      case action when 'member.added' then 'added' when 'member.removed' then 'removed' else 'changed' end,
      after ->> 'role'
    from audit_log
    where action in ('member.added', 'member.role_changed', 'member.removed') and ${within(scope, "organization_id")}`;
}

/**
 * Selects the state that follows from entries (of, seq, at, kind, role): the last change after the last removal, or else
 * the first addition, because adding a member again changes nothing. `added_at` is null if a change says the role.
 */
const STATE = sql`
  ended as (select organization_id, of, max(seq) as seq from entries where kind = 'removed' group by 1, 2),
  state as (
    select entries.organization_id, entries.of, coalesce(
      (array_agg(entries.role order by entries.seq desc) filter (where entries.kind = 'changed'))[1],
      (array_agg(entries.role order by entries.seq) filter (where entries.kind = 'added'))[1]) as role,
      case when not bool_or(entries.kind = 'changed')
        then (array_agg(entries.at order by entries.seq))[1] end as added_at
    from entries left join ended on ended.organization_id = entries.organization_id and ended.of = entries.of
    where entries.kind <> 'removed' and entries.seq > coalesce(ended.seq, -1)
    group by 1, 2
  )`;

function unauditedMembers(scope: Scope): RawBuilder<unknown> {
  return sql`
    with said as (${memberEntries(scope)}),
    -- An invitation to a team also adds the user to the organization.
    entries as (
      select organization_id, user_id as of, seq, at, kind, case when team_id is null then role else 'member' end as role
      from said
      where team_id is null or (kind = 'added' and seq > 0)
    ), ${STATE},
    found as (
      select organization_id, user_id::text as of, role, joined_at from organization_members
      where ${within(scope, "organization_id")}
    )
    ${compare(scope, sql`'member '`, sql`state.of`)}`;
}

function unauditedTeamMembers(scope: Scope): RawBuilder<unknown> {
  return sql`
    with said as materialized (${memberEntries(scope)}),
    entries as (
      select organization_id, team_id || ' ' || user_id as of, seq, at, kind, role from said where team_id is not null
      union all
      -- A user who leaves the organization leaves its teams.
      select left_all.organization_id, teams.team_id || ' ' || left_all.user_id, left_all.seq, left_all.at, 'removed', null
      from said left_all
      join (select distinct organization_id, user_id, team_id from said where team_id is not null) teams
        on teams.organization_id = left_all.organization_id and teams.user_id = left_all.user_id
      where left_all.kind = 'removed' and left_all.team_id is null
    ), ${STATE},
    found as (
      select organization_id, team_id || ' ' || user_id as of, role, joined_at from team_members
      where ${within(scope, "organization_id")}
    )
    ${compare(scope, sql`'team member '`, sql`split_part(state.of, ' ', 2)`)}`;
}

/**
 * Compares `found` with `state`. An earlier release could add a member without an entry, and a later addition, such as
 * one to a team, says nothing about the role that the member had then.
 */
function compare(scope: Scope, prefix: RawBuilder<unknown>, userId: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    select coalesce(found.organization_id, state.organization_id) as organization_id,
      ${prefix} || coalesce(found.of, state.of) as subject, coalesce(state.role, 'an audit entry') as expected,
      case when found.of is null then 'no membership' else found.role || case when state.of is null then ', no audit entry' else '' end
      end as found, null::bigint as amount
    from found full join state on state.organization_id = found.organization_id and state.of = found.of
    where (state.of is null and found.joined_at >= ${scope.auditedSince})
      or (found.of is null and ${userId} not in (select erased.user_id from (${erased}) erased))
      or (found.role <> state.role and not coalesce(found.joined_at < ${scope.auditedSince}
        and found.joined_at < state.added_at - interval '1 minute', false))`;
}

/** Selects teams whose block by an administrator isn't the last audited one. R7 checks blocks for a negative balance. */
function unauditedBlocks(scope: Scope): RawBuilder<unknown> {
  return sql`
    with audited as (
      select distinct on (organization_id, target ->> 'id') organization_id, target ->> 'id' as id,
        coalesce(after ->> 'blockedReason' = 'admin', false) as is_blocked
      from audit_log
      where (action in ('team.blocked', 'team.unblocked')
          or (action in ('team.created', 'team.updated') and after ? 'blockedReason'))
        and ${within(scope, "organization_id")}
      order by organization_id, target ->> 'id', seq desc
    )
    select teams.organization_id, teams.id as subject,
      case when coalesce(audited.is_blocked, false) then 'blocked by an administrator'
        else 'not blocked by an administrator' end as expected,
      teams.status || coalesce(', ' || teams.blocked_reason, '') as found, null::bigint as amount
    from teams left join audited on audited.id = teams.id and audited.organization_id = teams.organization_id
    where coalesce(teams.blocked_reason = 'admin', false) <> coalesce(audited.is_blocked, false)
      and (audited.id is not null or teams.blocked_at >= ${scope.auditedSince})
      and ${within(scope, "teams.organization_id")}`;
}

function unauditedUsers(scope: Scope): RawBuilder<unknown> {
  return sql`
    with entries as (
      select target ->> 'id' as id, action, after, seq
      from audit_log
      where action in ('user.signed_up', 'user.role_changed', 'user.disabled', 'user.enabled', 'user.deleted')
    ), audited as (
      select id,
        case when bool_or(action = 'user.deleted') then 'user' else coalesce(
          (array_agg(after ->> 'role' order by seq desc) filter (where action = 'user.role_changed'))[1],
          (array_agg(after ->> 'role' order by seq) filter (where action = 'user.signed_up'))[1]) end as role,
        case when bool_or(action = 'user.deleted') then 'deleted' else
          coalesce((array_agg(case action when 'user.disabled' then 'disabled' else 'active' end order by seq desc)
            filter (where action in ('user.disabled', 'user.enabled')))[1], 'active') end as status
      from entries
      group by id
    )
    select null as organization_id, 'user ' || coalesce(users.id::text, audited.id) as subject,
      case when audited.id is null then 'an audit entry' else concat_ws(', ', audited.role, audited.status) end as expected,
      case when users.id is null then 'no user' else users.role || ', ' || users.status end as found, null::bigint as amount
    from users full join audited on audited.id = users.id::text
    where users.id is null
      or (audited.id is null and users.created_at >= ${scope.auditedSince})
      or audited.role <> users.role or audited.status <> users.status`;
}
