-- Reports whether a budget is used up, or has less left than the largest recent hold.
create or replace function is_spent(budget budget_windows) returns boolean
  language sql stable
  return budget.spent >= budget.amount
    or (budget.amount - budget.spent < budget.largest_hold and budget.largest_hold_at > now() - interval '10 minutes');
