-- Money that the providers' prompt caches saved (decision 80), in nano-USD. Negative if caches were written but not read.
-- Rollups from before have none, because they don't know the price of each call.
alter table usage_rollups add column cache_saved bigint not null default 0;
alter table usage_hours add column cache_saved bigint not null default 0;
alter table usage_days add column cache_saved bigint not null default 0;
-- Of 0040, which didn't check existing rows, because that would have locked the table.
alter table price_list_entries validate constraint price_list_entries_fixed_check;
