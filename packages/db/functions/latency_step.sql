-- Returns which of 20 steps a latency belongs to. Each step is about 1.5 times as large as the previous one, which
-- limits the error of a percentile. `latencySteps` in packages/db/src/usage has the same bounds.
create or replace function latency_step(ms integer) returns integer
  language sql immutable strict parallel safe
  return width_bucket(ms, array[50, 100, 200, 300, 450, 700, 1000, 1500, 2200, 3300, 5000, 7500, 11000, 17000, 25000,
    40000, 60000, 120000, 300000]);
