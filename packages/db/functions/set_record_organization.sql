-- Sets the organization of a message or step, which is the one of its thread. The row keeps it, because the thread is
-- already gone when the rows of a deleted thread are counted.
create or replace function set_record_organization() returns trigger
  language plpgsql
as $$
begin
  select t.organization_id into new.organization_id from threads t where t.id = new.thread_id;
  return new;
end
$$;
