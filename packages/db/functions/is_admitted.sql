-- Reports whether an allowance covers a hold. A hold can exceed the free amount by at most the overdraft, so that one
-- nano-USD doesn't pay for a call of any price. With `strict`, the overdraft is the organization's credit line, and a
-- budget stays an exact cap. Gateways of earlier releases pass null, which sets no bound.
create or replace function is_admitted(policy text, overdraft bigint, is_budget boolean, free bigint, amount bigint) returns boolean
  language sql immutable
  return case policy
    when 'strict' then amount <= free + case when is_budget then 0 else coalesce(overdraft, 0) end::numeric
    when 'positive' then free > 0 and (overdraft is null or amount <= free + overdraft::numeric)
    when 'nonnegative' then free >= 0 and (overdraft is null or amount <= free + overdraft::numeric)
  end;
