-- Returns the same 26 characters as `uuidToCrockford`: two zero bits and the 128 bits of the ID, five bits per
-- character.
create or replace function crockford_of(id uuid) returns text
  language plpgsql immutable strict parallel safe
as $$
declare
  bits  bit varying := b'00' || ('x' || replace(id::text, '-', ''))::bit(128);
  spelt text := '';
begin
  for place in 0..25 loop
    spelt := spelt || substr('0123456789ABCDEFGHJKMNPQRSTVWXYZ', 1 + substring(bits from 5 * place + 1 for 5)::integer, 1);
  end loop;
  return spelt;
end
$$;
