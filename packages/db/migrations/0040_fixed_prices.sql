-- Fixed prices of organizations (decision 79): rates that replace those of the standard price, in nano-USD, as the
-- management API has them. The previous release ignores them and sells at the standard price.
alter table price_list_entries add column fixed jsonb;
alter table price_list_entries add constraint price_list_entries_fixed_check
  check (fixed is null or (jsonb_typeof(fixed) = 'object' and model_group <> '*' and share_millionths = 0 and fixed_nano = 0)) not valid;
