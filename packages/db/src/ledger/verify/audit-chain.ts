import { sql } from "kysely";
import { type Invariant, within } from "./invariant.ts";

export const auditChainHolds: Invariant = {
  id: "I8",
  title: "each organization's audit log is an unbroken hash chain, and its rows and personal data are unchanged",
  checked: "auditRows",
  differences: (scope) => [
    sql`
      with chained as (
        select *, lag(hash) over (partition by organization_id order by seq) as hash_before,
          row_number() over (partition by organization_id order by seq) as position
        from audit_log
        where ${within(scope, "organization_id")}
      )
      select organization_id, id as subject,
        'row ' || position || ' after ' || coalesce(encode(hash_before, 'hex'), 'nothing') as expected,
        'row ' || seq || ' after ' || coalesce(encode(previous_hash, 'hex'), 'nothing') as found, null::bigint as amount
      from chained
      where previous_hash is distinct from hash_before or seq <> position`,
    sql`
      select organization_id, id as subject, 'the row that was hashed' as expected, 'a different row' as found,
        null::bigint as amount
      from audit_log
      where hash <> audit_hash(previous_hash, id, organization_id, seq, at, actor, action, target, request_id, before, after)
        and ${within(scope, "organization_id")}`,
    // Erasing personal data leaves an empty row. The row must never be deleted or changed in any other way.
    sql`
      select organization_id, id as subject, 'the personal data that was hashed' as expected,
        case when audit_id is null then 'none' else 'different data' end as found, null::bigint as amount
      from audit_log
      left join audit_personal on audit_id = id
      where actor ? 'personal'
        and (audit_id is null
          or (personal is not null
            and actor ->> 'personal' <> encode(sha256(salt || convert_to(personal::text, 'UTF8')), 'hex')))
        and ${within(scope, "organization_id")}`,
  ],
};
