/**
 * Performs one exchange of deployment state between replicas. All times come from the Redis server's clock.
 *
 * KEYS: the cooldowns, as a sorted set by end time, this minute's counts, as a hash, and the pinned sessions, as a
 * stream. ARGV: the replica, its new pins as text (empty if there are none), the ID of the last stream entry that it
 * read (empty at first), the number of counts that follow, each as a field and an increment, and then the cooldowns,
 * each as an ID and milliseconds.
 *
 * Returns the counts of all replicas as fields and values, the cooldowns as IDs and remaining milliseconds, and stream
 * entries, of which the first may be the last one of the previous exchange.
 */
export const ROUTING_SCRIPT = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local pins
if ARGV[3] == '' then
  pins = redis.call('XREVRANGE', KEYS[3], '+', '-', 'COUNT', 1000)
else
  pins = redis.call('XRANGE', KEYS[3], ARGV[3], '+', 'COUNT', 1000)
end
if ARGV[2] ~= '' then
  redis.call('XADD', KEYS[3], 'MAXLEN', '~', 4096, '*', ARGV[1], ARGV[2])
  redis.call('PEXPIRE', KEYS[3], 90000000)
end
local counts = tonumber(ARGV[4])
for at = 5, 4 + counts * 2, 2 do redis.call('HINCRBY', KEYS[2], ARGV[at], ARGV[at + 1]) end
if counts > 0 then redis.call('PEXPIRE', KEYS[2], 120000) end
for at = 5 + counts * 2, #ARGV, 2 do
  redis.call('ZADD', KEYS[1], 'GT', string.format('%.0f', now + ARGV[at + 1]), ARGV[at])
  redis.call('PEXPIRE', KEYS[1], 90000000)
end
redis.call('ZREMRANGEBYSCORE', KEYS[1], '-inf', now)
local resting = redis.call('ZRANGE', KEYS[1], 0, -1, 'WITHSCORES')
for at = 2, #resting, 2 do resting[at] = string.format('%.0f', resting[at] - now) end
return { redis.call('HGETALL', KEYS[2]), resting, pins }
`;
