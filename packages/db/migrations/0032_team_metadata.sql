-- What whoever manages a team wants to remember of it, as keys have it. Nothing here decides a call.
alter table teams add column metadata jsonb not null default '{}' check (jsonb_typeof(metadata) = 'object');
