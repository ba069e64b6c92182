-- Checkpoints that a sink refused for 90 days are deleted, so that they do not accumulate. The sink keeps their number.
alter table checkpoint_sinks
  add column failing_since timestamptz, -- the first failure since the last delivery; null: the last attempt succeeded
  add column dropped bigint not null default 0, -- undelivered checkpoints that were deleted
  add column dropped_through bigint; -- the last of them
