-- Rejects changes to the rows of a table, even by its owner.
create or replace function tollgate_refuse_change() returns trigger
  language plpgsql
as $$
begin
  raise exception '% rows are never changed or removed; write a new one', tg_table_name using errcode = 'restrict_violation';
end
$$;
