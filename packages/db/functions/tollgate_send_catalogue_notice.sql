-- Notifies gateways to rebuild their list of models. Equal notifications of one transaction are sent once.
create or replace function tollgate_send_catalogue_notice() returns trigger
  language plpgsql
as $$
begin
  perform record_change('{"kind":"catalogue"}');
  return null;
end
$$;
