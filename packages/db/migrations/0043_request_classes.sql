-- The five classes of requests (decision 81). `errors` counts every failure, so failed = errors - rejected, and succeeded
-- = requests - errors - canceled. Rollups from before have neither rejected nor canceled requests.
alter table usage_rollups
  add column canceled bigint not null default 0,
  add column rejected bigint not null default 0;
alter table usage_hours
  add column canceled bigint not null default 0,
  add column rejected bigint not null default 0;
alter table usage_days
  add column canceled bigint not null default 0,
  add column rejected bigint not null default 0;

-- Requests without a usage event. `requests` counts all of them, so refused = requests - failed - rejected - canceled.
-- `unlogged…` counts those without an own row, because another row stands for them.
alter table refused_rollups
  add column failed bigint not null default 0,
  add column rejected bigint not null default 0,
  add column canceled bigint not null default 0,
  add column unlogged bigint not null default 0,
  add column unlogged_failed bigint not null default 0,
  add column unlogged_rejected bigint not null default 0,
  add column unlogged_canceled bigint not null default 0;

-- Until now, only refused requests had a row.
alter table refused_calls
  add column class text not null default 'refused',
  add column weight integer not null default 1, -- number of requests that this row stands for
  add column requested_model text, -- as the client named it, if it is not the model group
  add column param text, -- the invalid field
  add column facts jsonb; -- which limit, whose, used, allowed, when it resets
-- Not validated, because that would read the table under a lock. Rows from before have the defaults. One constraint per
-- column, so that the generated table types know the classes.
alter table refused_calls
  add constraint refused_calls_class check (class in ('failed', 'refused', 'rejected', 'canceled')) not valid,
  add constraint refused_calls_weight check (weight > 0) not valid,
  add constraint refused_calls_facts check (jsonb_typeof(facts) = 'object') not valid;
