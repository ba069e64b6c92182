-- The last migration that failed, until one ends well. A version that could not migrate does not start, so the one that
-- still runs has to tell. A failure before this migration has made the table itself.
create table if not exists schema_migration_failures (
  id        smallint    primary key default 1 check (id = 1),
  name      text        not null,
  release   text        not null,
  reason    text        not null,
  failed_at timestamptz not null default now()
);
grant select on schema_migration_failures to tollgate_platform, tollgate_worker;
