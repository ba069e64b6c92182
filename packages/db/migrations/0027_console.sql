-- What the console remembers of people and organizations, and how a browser lets a terminal in.

create table user_preferences (
  user_id     integer     primary key references users (id),
  preferences jsonb       not null check (jsonb_typeof(preferences) = 'object' and octet_length(preferences::text) <= 131072),
  updated_at  timestamptz not null default now()
);

-- Which steps of the setup checklist were skipped; which are done is asked of what they are about.
create table organization_onboarding (
  organization_id text        primary key references organizations (id),
  skipped         string_list not null default '{}',
  is_dismissed    boolean     not null default false,
  updated_at      timestamptz not null default now()
);

-- A terminal that asks to be let in. It knows the secret; whoever is signed in knows the code that it shows. Both are kept
-- as digests. What the browser allowed is a session of that person, which ends when the browser's own would have.
create table pairings (
  id              text        primary key check (id ~ '^pair_[0-9A-HJKMNP-TV-Z]{26}$'),
  code_digest     bytea       not null unique check (octet_length(code_digest) = 32),
  secret_digest   bytea       not null check (octet_length(secret_digest) = 32),
  client_name     text        not null check (char_length(client_name) between 1 and 100),
  ip              text        not null,
  status          text        not null default 'pending' check (status in ('pending', 'approved', 'denied', 'claimed')),
  user_id         integer     references users (id), -- who decided
  organization_id text        references organizations (id),
  session_ends_at timestamptz,
  wrong_secrets   smallint    not null default 0,
  created_at      timestamptz not null default now(),
  expires_at      timestamptz not null,
  decided_at      timestamptz,
  check ((status = 'pending') = (decided_at is null)),
  check (status not in ('approved', 'claimed') or (user_id is not null and session_ends_at is not null))
);
create index pairings_age on pairings (expires_at);

do $$
declare
  name text;
begin
  foreach name in array array['user_preferences', 'organization_onboarding', 'pairings'] loop
    execute format('alter table %I enable row level security', name);
    execute format('alter table %I force row level security', name);
  end loop;
end
$$;
create policy platform_own on user_preferences to tollgate_platform
  using (tollgate_is_administrator() or user_id = tollgate_user())
  with check (tollgate_is_administrator() or user_id = tollgate_user());
create policy platform_stays_inside on organization_onboarding to tollgate_platform
  using (tollgate_may_see(organization_id)) with check (tollgate_may_see(organization_id));
create policy platform_at_door on pairings to tollgate_platform
  using (tollgate_at_door() or tollgate_is_administrator()) with check (tollgate_at_door());
create policy worker_tidies on pairings to tollgate_worker using (true);

grant select, insert, update, delete on user_preferences to tollgate_platform;
grant select, insert, update on organization_onboarding to tollgate_platform;
grant select, insert, update, delete on pairings to tollgate_platform;
grant select, delete on pairings to tollgate_worker;
