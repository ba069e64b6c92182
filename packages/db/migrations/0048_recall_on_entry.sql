-- Exact allowances with leases: earlier releases did not number the recall when an allowance became exact, so leases from
-- before may still have idle credit (decision 93).
update organization_quota
   set recall = greatest(recall + 1, (extract(epoch from clock_timestamp()) * 1000)::bigint)
 where mode = 'exact' and leased > 0;
update budget_windows
   set recall = greatest(recall + 1, (extract(epoch from clock_timestamp()) * 1000)::bigint)
 where mode = 'exact' and leased > 0;
