-- Returns the answer to one request in the gateway's format.
create or replace function render_answer(request jsonb, outcome text, purses jsonb default '[]', denial jsonb default null) returns jsonb
  language sql stable
  return jsonb_build_object('organizationId', request -> 'organizationId', 'seq', request -> 'seq', 'outcome', outcome,
    'purses', purses, 'denial', denial);
