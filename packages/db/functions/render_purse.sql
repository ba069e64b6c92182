-- Returns an allowance in the gateway's format. Amounts are strings, because they exceed 2^53.
create or replace function render_purse(purse leased_purse) returns jsonb
  language sql stable
  return jsonb_build_object('granted', (purse).granted::text, 'returned', (purse).returned::text, 'mode', (purse).mode,
    'free', ((purse).balance - (purse).leased)::text, 'balance', (purse).balance::text, 'recall', (purse).recall);
