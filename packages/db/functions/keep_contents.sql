-- Stores the encrypted requests and responses of organizations that log them.
create or replace function keep_contents(batch json) returns void
  language plpgsql security definer set search_path from current
as $$
begin
  -- Checked again, because an organization may have turned off logging during the call.
  insert into call_contents (id, organization_id, request, answer, is_cut, expires_at)
  select content.id, organization.id, content.request, content.answer, content."isCut",
         now() + make_interval(days => least(organization.log_retention_days, 30))
    from json_to_recordset(batch) as content (id uuid, "organizationId" text, request text, answer text, "isCut" boolean)
    join organizations as organization on organization.id = content."organizationId" and organization.log_prompts
  on conflict do nothing;
end
$$;

revoke execute on function keep_contents from public;
grant execute on function keep_contents to tollgate_gateway;
