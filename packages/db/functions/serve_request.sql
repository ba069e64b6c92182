-- Applies a request to an organization's allowances, in memory: first the returned amounts, then the longest run of
-- holds that fits, then slices. The denial explains why the next hold was not granted.
create or replace function serve_request(request jsonb, purses leased_purse[], node text, policy text, overdraft bigint, live_nodes integer) returns served_request
  language plpgsql
as $$
declare
  wishes jsonb := request -> 'purses';
  holds jsonb := request -> 'holds';
  served served_request;
  purse leased_purse;
  wish jsonb;
  free bigint[]; -- current free amount of each allowance
  largest bigint[];
  taken bigint[];
  places integer[];
  place integer;
  amount bigint;
  failed integer := 0; -- number of the allowance that is too small for the first hold that isn't granted
  holders text[];
  now_ms bigint := extract(epoch from clock_timestamp()) * 1000;
begin
  for i in 1 .. cardinality(purses) loop
    wish := wishes -> (i - 1);
    purse := purses[i];
    amount := greatest(0, least((wish ->> 'returned')::bigint, purse.outstanding));
    purse.returned := purse.returned + amount;
    purse.leased := purse.leased - amount;
    purses[i] := purse;
    free[i] := purse.balance - purse.leased;
    largest[i] := (wish ->> 'largestHold')::bigint;
    taken[i] := 0;
  end loop;

  <<run>>
  for h in 0 .. jsonb_array_length(holds) - 1 loop
    amount := (holds -> h ->> 'amount')::bigint;
    continue when amount <= 0;
    places := translate(holds -> h ->> 'purses', '[]', '{}')::integer[];
    foreach place in array places loop
      largest[place + 1] := greatest(largest[place + 1], amount);
      if is_admitted(policy, overdraft, (purses[place + 1]).scope is not null, free[place + 1], amount) is not true then
        failed := place + 1;
        exit run;
      end if;
    end loop;
    foreach place in array places loop
      free[place + 1] := free[place + 1] - amount;
      taken[place + 1] := taken[place + 1] + amount;
    end loop;
  end loop;

  for i in 1 .. cardinality(purses) loop
    wish := wishes -> (i - 1);
    purse := purses[i];
    -- The largest hold counts for 10 minutes after it last occurred.
    if largest[i] >= purse.largest_hold or purse.largest_hold_at < now() - interval '10 minutes' then
      purse.largest_hold := largest[i];
      purse.largest_hold_at := now();
    end if;
    purse.recall_seen := greatest(purse.recall_seen, (wish ->> 'recallSeen')::bigint);
    purse := set_mode(purse, free[i]);
    if i = failed then
      -- An answer to a recall holds for a second. A gateway that answered may since have credit whose return is delayed.
      if purse.recall < now_ms - 1000 then
        purse.recall := greatest(purse.recall + 1, now_ms);
      end if;
      holders := list_holders(purse, node);
      if cardinality(holders) = 0 then
        served.denial := jsonb_build_object('kind', 'refused', 'purse', i - 1, 'recall', purse.recall);
      else
        -- A hold that waits for this recall already has caused the notification.
        if (request ->> 'afterRecall')::bigint is distinct from purse.recall then
          perform send_recall(purse, holders);
        end if;
        served.denial := jsonb_build_object('kind', 'wait', 'purse', i - 1, 'recall', purse.recall);
      end if;
    end if;
    if purse.mode = 'slices' then
      amount := greatest(0, least((wish ->> 'slice')::bigint, free[i] / 20, purse.balance / (2 * live_nodes)));
      taken[i] := taken[i] + amount;
      purse := set_mode(purse, free[i] - amount);
    end if;
    purse.seq := (request ->> 'seq')::bigint;
    purse.granted := purse.granted + taken[i];
    purse.leased := purse.leased + taken[i];
    purses[i] := purse;
  end loop;
  served.purses := purses;
  return served;
end
$$;

-- Called only by functions up to schema 35, in batches that began before `lease_credit` was replaced. It stays until a
-- contract migration drops it.
create or replace function serve_request(request jsonb, purses leased_purse[], node text, policy text, live_nodes integer) returns served_request
  language sql
  return serve_request(request, purses, node, policy, null::bigint, live_nodes);
