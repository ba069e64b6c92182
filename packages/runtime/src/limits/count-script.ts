/**
 * Takes from all of the given counters or from none of them, atomically and by the Redis server's clock.
 *
 * ARGV: window in ms, process, slot lease in ms, share of the remainder that makes a slice, and number of calls that a
 * slice must cover. Then, for each key, its kind and six values follow.
 *
 * For a window, the values are the maximum, the need (-1 to only report), the amount owed, the start and the count that
 * the process knows, and whether the process requests a slice. The window's hash holds its start `s`, its count `u`,
 * and the amount that each process took, so that the next request can restore counts that the store has lost.
 *
 * For slots, the values are the maximum, 1 to take a slot, whether the report is the process's whole count, and the
 * report. The slots hash holds `count:expiry` for each process.
 *
 * Malformed values count as absent. Returns the number of the key that refused the request, or 0, and for each key its
 * start, remaining ms, count, and slice.
 */
export const COUNT_SCRIPT = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local window, process, lease = tonumber(ARGV[1]), ARGV[2], tonumber(ARGV[3])
local share, sliceCalls = tonumber(ARGV[4]), tonumber(ARGV[5])
local text = function(number) return string.format('%.0f', number) end
local refused = 0
local states = {}

for index, key in ipairs(KEYS) do
  local at = 5 + (index - 1) * 7
  local kind, maximum, third = ARGV[at + 1], tonumber(ARGV[at + 2]), tonumber(ARGV[at + 3])
  local fourth, fifth, sixth = tonumber(ARGV[at + 4]), tonumber(ARGV[at + 5]), tonumber(ARGV[at + 6])
  local seventh = tonumber(ARGV[at + 7])
  local state = { isWindow = kind == 'window', slice = 0, start = 0 }
  if state.isWindow then
    local need, owed, knownStart, granted = third, fourth, fifth, sixth
    local read = redis.pcall('HMGET', key, 's', 'u', process)
    state.isBroken = read.err ~= nil
    local start, used, mine = tonumber(read[1]), tonumber(read[2]), tonumber(read[3]) or 0
    if not (start and used) or start > now or start + window <= now then start, used, mine = nil, 0, 0 end
    if knownStart > 0 and knownStart <= now and knownStart + window > now then
      local lost = math.max(0, granted - mine)
      used, mine = used + lost, mine + lost
      start = math.min(start or knownStart, knownStart)
      state.isChanged = lost > 0
    end
    state.isChanged = state.isChanged or owed ~= 0
    state.used, state.mine = math.max(0, used + owed), mine + owed
    state.start = start or (owed ~= 0 and now or 0)
    state.need, state.maximum, state.wantsSlice = need, maximum, seventh == 1
    if need >= 0 and refused == 0 and state.used + math.max(need, 1) > maximum then refused = index end
  else
    local wants, isWhole, report = third, fourth, fifth
    local read = redis.pcall('HGETALL', key)
    state.isBroken = read.err ~= nil
    state.expired, state.mine = {}, 0
    local others = 0
    for field = 1, #read, 2 do
      local count, expiry = string.match(read[field + 1], '^(%d+):(%d+)$')
      if not count or tonumber(expiry) <= now then table.insert(state.expired, read[field])
      elseif read[field] == process then state.mine = tonumber(count)
      else others = others + tonumber(count) end
    end
    state.mine = isWhole == 1 and report or math.max(0, state.mine + report)
    state.used, state.wants = others + state.mine, wants
    if wants == 1 and refused == 0 and state.used + 1 > maximum then refused = index end
  end
  states[index] = state
end

local reply = { refused }
for index, key in ipairs(KEYS) do
  local state = states[index]
  if state.isBroken then redis.call('DEL', key) end
  if state.isWindow then
    if refused == 0 and state.need >= 0 then
      if state.start == 0 then state.start = now end
      local slice = math.floor((state.maximum - state.used - state.need) * share)
      if state.wantsSlice and slice >= sliceCalls * math.max(state.need, 1) then state.slice = slice end
      state.used, state.mine = state.used + state.need + state.slice, state.mine + state.need + state.slice
      state.isChanged = true
    end
    if state.isChanged then
      redis.call('HSET', key, 's', text(state.start), 'u', text(state.used), process, text(state.mine))
      redis.call('PEXPIREAT', key, text(state.start + window))
    end
  else
    if refused == 0 and state.wants == 1 then state.mine, state.used = state.mine + 1, state.used + 1 end
    if #state.expired > 0 then redis.call('HDEL', key, unpack(state.expired)) end
    if state.mine > 0 then
      redis.call('HSET', key, process, text(state.mine) .. ':' .. text(now + lease))
      redis.call('PEXPIRE', key, text(lease))
    else redis.call('HDEL', key, process) end
  end
  table.insert(reply, state.start)
  table.insert(reply, state.start > 0 and state.start + window - now or 0)
  table.insert(reply, state.used)
  table.insert(reply, state.slice)
end
return reply
`;
