-- Creates the quota row and the ledger account of a new organization.
create or replace function open_organization_books() returns trigger
  language plpgsql security definer set search_path from current
as $$
begin
  insert into organization_quota (organization_id) values (new.id);
  insert into ledger_accounts (id, organization_id, may_be_negative) values ('org:' || new.id || ':credits', new.id, true);
  return null;
end
$$;

revoke execute on function open_organization_books from public;
