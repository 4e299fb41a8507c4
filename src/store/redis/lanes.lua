-- The rate budgets of a fleet. Everything here happens at once, on Redis' own clock.
--
-- KEYS  fleet, workers; then for each lane its state, what was spent in its window, and who waits.
-- ARGV  one JSON: {verb, worker, store, alone, epoch, fresh, law, lanes = {{capacity, perMs, windowMs, counts, kept}, ...}, and what the verb needs}
-- Answers one JSON: {now, epoch, workers, neighbours, lanes = {{left, slowedUntil}, ...}, and what the verb answers}.
--
-- A lane is a hash: epoch; tokens, at and corrected (bucket), spent (window), full (since when nothing is missing); pace,
-- slowed, paused, next (when the first went after it was slowed); u:<share> = what the share had lately, and when. Spent in a window: a list of "<time>:<amount>", oldest first.
-- Who waits: a hash of row -> "<rank>|<since>|<due>|<first>|<all>|<share>"; one who is late by `graceMs` is passed over.

local ask = cjson.decode(ARGV[1])
local law = ask.law
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + tonumber(time[2]) / 1000
local rounding = 1e-6

local function text(number) return string.format('%.6f', number) end
local function stamp(ms) return string.format('%.3f', ms) end

-- The fleet's memory. A lane that has no state of this epoch was, at worst, emptied right before the epoch began: it has
-- what it gained since. Only in a fleet that was never at work before (`fresh`) it is full.
local function fleetNow()
  local run = string.match(redis.call('INFO', 'server'), 'run_id:(%x+)') or ''
  local known = redis.call('HMGET', KEYS[1], 'epoch', 'run', 'fresh', 'born')
  local fleet = { epoch = known[1], fresh = known[3] == '1', born = tonumber(known[4] or '0') }
  local begins = not known[1]
  local restarted = known[2] ~= run
  local forgotten = fleet.fresh and ask.epoch ~= '' and ask.epoch ~= fleet.epoch
  if not (begins or restarted or forgotten) then return fleet end
  fleet.fresh = begins and ask.fresh and ask.epoch == ''
  fleet.born = now
  fleet.epoch = string.sub(run, 1, 8) .. '-' .. stamp(now)
  redis.call('HSET', KEYS[1], 'epoch', fleet.epoch, 'run', run, 'fresh', fleet.fresh and '1' or '0', 'born', stamp(now))
  return fleet
end

local fleet = fleetNow()

-- Other databases whose fleets spend from the same lanes.
local function neighboursNow()
  local names, flat = {}, redis.call('HGETALL', KEYS[1])
  for i = 1, #flat, 2 do
    local store = string.match(flat[i], '^s:(.*)$')
    if store and tonumber(flat[i + 1]) + law.neighbourMs < now then
      redis.call('HDEL', KEYS[1], flat[i])
    elseif store and store ~= ask.store then
      names[#names + 1] = store
    end
  end
  redis.call('HSET', KEYS[1], 's:' .. ask.store, stamp(now))
  return names
end

local neighbours = neighboursNow()

local function paceAt(lane, at)
  return math.min(1, lane.pace + math.max(0, at - lane.slowed) * law.recoveryPerMs)
end

local function allowed(lane)
  return math.max(1, math.floor(lane.capacity * paceAt(lane, now)))
end

local function spendInWindow(lane, amount, at)
  local slot = math.max(1, lane.windowMs / 256)
  local ends = math.ceil(at / slot) * slot
  local last = redis.call('LINDEX', lane.spentKey, -1)
  local lastEnds, lastAmount = string.match(last or '', '^(.-):(.*)$')
  if lastEnds and tonumber(lastEnds) >= ends then
    redis.call('LSET', lane.spentKey, -1, lastEnds .. ':' .. text(tonumber(lastAmount) + amount))
  else
    redis.call('RPUSH', lane.spentKey, stamp(ends) .. ':' .. text(amount))
  end
  lane.spent = lane.spent + amount
  lane.full = nil
end

local function begin(lane)
  redis.call('DEL', lane.key, lane.spentKey)
  lane.pace, lane.slowed, lane.paused = 1, 0, 0
  lane.used, lane.at, lane.spent, lane.corrected = {}, now, 0, fleet.born
  -- A lane that the database keeps too is full here: its shares there say what is left. Neighbours do not spend from those.
  local full = fleet.fresh or (lane.kept and ask.alone and #neighbours == 0)
  if not lane.windowMs then
    lane.tokens = full and lane.capacity or math.min(lane.capacity, (now - fleet.born) * lane.perMs)
  elseif not full and fleet.born + lane.windowMs > now then
    spendInWindow(lane, lane.capacity, fleet.born)
  end
end

local function remember(lane)
  local flat = redis.call('HGETALL', lane.key)
  local state, used = {}, {}
  for i = 1, #flat, 2 do
    local share = string.match(flat[i], '^u:(.*)$')
    if share then used[share] = flat[i + 1] else state[flat[i]] = flat[i + 1] end
  end
  if state.epoch ~= fleet.epoch then return begin(lane) end
  for _, field in ipairs({ 'tokens', 'at', 'spent', 'full', 'pace', 'slowed', 'paused', 'next', 'corrected' }) do
    lane[field] = tonumber(state[field] or '')
  end
  lane.corrected = lane.corrected or now
  lane.used = {}
  for share, value in pairs(used) do
    local amount, at = string.match(value, '^(.-):(.*)$')
    local left = tonumber(amount) * math.exp(-math.max(0, now - tonumber(at)) / law.fadeMs)
    if left > 0.01 then lane.used[share] = left else redis.call('HDEL', lane.key, 'u:' .. share) end
  end
end

local function refill(lane)
  if lane.windowMs then
    local first = redis.call('LINDEX', lane.spentKey, 0)
    while first do
      local ends, amount = string.match(first, '^(.-):(.*)$')
      if tonumber(ends) + lane.windowMs > now then break end
      redis.call('LPOP', lane.spentKey)
      lane.spent = lane.spent - tonumber(amount)
      first = redis.call('LINDEX', lane.spentKey, 0)
    end
    if not first then lane.spent = 0 end
    if not first and not lane.full then lane.full = now end
    return
  end
  local pace = (paceAt(lane, lane.at) + paceAt(lane, now)) / 2
  lane.tokens = math.min(lane.capacity, lane.tokens + math.max(0, now - lane.at) * lane.perMs * pace)
  lane.at = math.max(lane.at, now)
  if lane.tokens >= lane.capacity then lane.full = lane.full or now else lane.full = nil end
end

local function loadLanes()
  local lanes = {}
  for i, spec in ipairs(ask.lanes) do
    local lane = { capacity = spec.capacity, perMs = spec.perMs, windowMs = spec.windowMs }
    lane.kept = spec.kept
    lane.ofResources = spec.counts == 'resources'
    lane.key, lane.spentKey, lane.rowsKey = KEYS[i * 3], KEYS[i * 3 + 1], KEYS[i * 3 + 2]
    remember(lane)
    refill(lane)
    lanes[i] = lane
  end
  return lanes
end

local function save(lane)
  local fields = { 'epoch', fleet.epoch, 'pace', text(lane.pace), 'slowed', stamp(lane.slowed), 'paused', stamp(lane.paused) }
  local function put(field, value) fields[#fields + 1] = field; fields[#fields + 1] = value end
  if lane.windowMs then put('spent', text(lane.spent)) else put('tokens', text(lane.tokens)); put('at', stamp(lane.at)); put('corrected', stamp(lane.corrected)) end
  put('full', lane.full and stamp(lane.full) or '')
  put('next', lane.next and stamp(lane.next) or '')
  if lane.had then put('u:' .. ask.share, text(lane.used[ask.share]) .. ':' .. stamp(now)) end
  redis.call('HSET', lane.key, unpack(fields))
  -- why: long after it is full again; one that is gone is taken to be so
  local gain = lane.windowMs or lane.capacity / lane.perMs
  local keep = math.ceil(math.max(0, lane.paused - now) + 3600000 + 2 * gain / law.slowest)
  redis.call('PEXPIRE', lane.key, keep)
  redis.call('PEXPIRE', lane.spentKey, keep)
  redis.call('PEXPIRE', lane.rowsKey, keep)
end

local function left(lane)
  if lane.windowMs then return allowed(lane) - lane.spent end
  return lane.tokens
end

-- Milliseconds until there is so much; more than all waits for all.
local function readyIn(lane, amount)
  local pause = math.max(0, lane.paused - now)
  if not lane.windowMs then
    local missing = math.min(amount, lane.capacity) - lane.tokens
    if missing <= rounding then return pause end
    return math.max(pause, missing / (lane.perMs * paceAt(lane, now)))
  end
  local most = allowed(lane)
  local over = lane.spent + math.min(amount, most) - most
  if over <= rounding then return pause end
  for _, entry in ipairs(redis.call('LRANGE', lane.spentKey, 0, -1)) do
    local ends, spent = string.match(entry, '^(.-):(.*)$')
    over = over - tonumber(spent)
    if over <= rounding then return math.max(pause, tonumber(ends) + lane.windowMs - now) end
  end
  return math.max(pause, lane.windowMs)
end

local function spend(lane, amount)
  if lane.windowMs then spendInWindow(lane, amount, now) else lane.tokens = lane.tokens - amount; lane.full = nil end
  lane.used[ask.share] = (lane.used[ask.share] or 0) + amount
  lane.had = true
  lane.next = lane.next or now
end

-- As in src/engine/rate-limit.ts, where the table is.
local function leftTo(other, own)
  local overdue = now - other.since >= law.patienceMs
  if overdue ~= (now - own.since >= law.patienceMs) then return overdue and other.first or 0 end
  if overdue then return other.since < own.since and other.first or 0 end
  if other.rank ~= own.rank then return other.rank < own.rank and other.all or 0 end
  local behind = own.used - other.used
  if math.abs(behind) > rounding then return behind > 0 and math.min(other.all, math.max(other.first, behind)) or 0 end
  return other.since < own.since and other.first or 0
end

local function othersAt(lane)
  local others, flat = {}, redis.call('HGETALL', lane.rowsKey)
  for i = 1, #flat, 2 do
    local rank, since, due, first, all, share = string.match(flat[i + 1], '^(.-)|(.-)|(.-)|(.-)|(.-)|(.*)$')
    due = tonumber(due)
    if due + 10 * law.graceMs < now then
      redis.call('HDEL', lane.rowsKey, flat[i])
    elseif flat[i] ~= ask.row and due + law.graceMs >= now then
      others[#others + 1] = { rank = tonumber(rank), since = tonumber(since), first = tonumber(first), all = tonumber(all), used = lane.used[share] or 0 }
    end
  end
  return others
end

-- Milliseconds until the asker may take this from the lane, as far as one can tell.
local function waitAt(lane, amount, since)
  local own = { rank = ask.rank, since = since, used = lane.used[ask.share] or 0 }
  local due = 0
  for _, other in ipairs(lane.others) do due = due + leftTo(other, own) end
  local wait = readyIn(lane, amount + due)
  -- A lane that is full and smaller than what all wait for: theirs is the turn, unless they let it stand unused.
  if wait > 0 or due == 0 or amount + due <= left(lane) + rounding then return wait end
  if lane.full and now - lane.full >= law.unusedMs then return 0 end
  return law.leastMs
end

-- Where the asker waits: its place in each lane, with what is to be left to it there.
local function line(lanes, need, since, wait)
  local longest = 0
  for i, lane in ipairs(lanes) do lane.own = readyIn(lane, need[i]); longest = math.max(longest, lane.own) end
  for i, lane in ipairs(lanes) do
    local all = lane.own >= longest and ask.totals[i] or need[i]
    local place = { ask.rank, stamp(since), stamp(now + wait), text(need[i]), text(all), ask.share }
    redis.call('HSET', lane.rowsKey, ask.row, table.concat(place, '|'))
  end
end

local verbs = {}

-- {row, rank, share, waited, needs = {{amount of each lane}, ...}, totals} -> {granted, wait}: as many as may go now, in
-- order, and when to come again for the rest. No needs: nobody waits there any more.
function verbs.take(lanes)
  for _, lane in ipairs(lanes) do lane.others = othersAt(lane) end
  local since, granted, wait = now - ask.waited, 0, 0
  for _, need in ipairs(ask.needs) do
    for i, lane in ipairs(lanes) do wait = math.max(wait, waitAt(lane, need[i], since)) end
    if wait > 0 then break end
    for i, lane in ipairs(lanes) do
      spend(lane, need[i])
      ask.totals[i] = ask.totals[i] - need[i]
    end
    since, granted = now, granted + 1
  end
  local nextNeed = ask.needs[granted + 1]
  if nextNeed then
    wait = math.min(law.mostMs, math.max(law.leastMs, wait))
    line(lanes, nextNeed, since, wait)
  else
    for _, lane in ipairs(lanes) do redis.call('HDEL', lane.rowsKey, ask.row) end
  end
  return { granted = granted, wait = wait }
end

-- What was let go at `sentAt` and refused is in the bucket again, but for what it gained since: see src/engine/rate-limit.ts.
local function giveBack(lane, amount, sentAt)
  if sentAt <= lane.corrected then return end
  local owed = math.max(0, amount - math.max(0, now - sentAt) * lane.perMs)
  lane.tokens = math.min(lane.capacity, lane.tokens + owed)
end

local function setTokens(lane, tokens)
  lane.tokens = tokens
  lane.corrected = now
  lane.full = nil
end

-- {sentAt, retryAfterMs, amount} -> {slowed}: once for all that went before the last slow-down. What is left: as in
-- src/ports/limiter.ts, where the table is.
function verbs.slow(lanes)
  local lane = lanes[1]
  lane.paused = math.max(lane.paused, now + ask.retryAfterMs)
  if lane.ofResources then giveBack(lane, ask.amount, ask.sentAt) end
  if ask.sentAt <= lane.slowed then return { slowed = false } end
  local again = lane.next and ask.sentAt <= lane.next and paceAt(lane, ask.sentAt) < 1
  lane.pace = math.max(law.slowest, paceAt(lane, now) / 2)
  lane.slowed = tonumber(stamp(now))
  lane.next = nil
  if not lane.windowMs and (again or not lane.ofResources) then setTokens(lane, math.min(lane.tokens, 0)) end
  return { slowed = true }
end

-- {amounts}: there is no more left than this.
function verbs.lower(lanes)
  for i, lane in ipairs(lanes) do
    local unseen = (lane.windowMs and lane.capacity - lane.spent or lane.tokens) - ask.amounts[i]
    if unseen > 0 and lane.windowMs then spendInWindow(lane, unseen, now) end
    if unseen > 0 and not lane.windowMs then setTokens(lane, lane.tokens - unseen) end
  end
  return {}
end

-- {amounts}: so much was spent while Redis was away. The cloud's own bucket is never in debt.
function verbs.repay(lanes)
  for i, lane in ipairs(lanes) do
    if lane.windowMs then
      spendInWindow(lane, ask.amounts[i], now)
    else
      setTokens(lane, math.min(lane.tokens, math.max(0, lane.tokens - ask.amounts[i])))
    end
  end
  return {}
end

-- The worker is here, and this is how many there are.
function verbs.here() return {} end

-- The worker goes.
function verbs.leave()
  redis.call('ZREM', KEYS[2], ask.worker)
  return {}
end

redis.call('ZADD', KEYS[2], stamp(now), ask.worker)
redis.call('ZREMRANGEBYSCORE', KEYS[2], '-inf', stamp(now - law.workerMs))
local lanes = loadLanes()
local answer = verbs[ask.verb](lanes)
answer.lanes = {}
for i, lane in ipairs(lanes) do
  save(lane)
  local slowedUntil = math.max(lane.paused, lane.slowed + (1 - lane.pace) / law.recoveryPerMs)
  answer.lanes[i] = { left = left(lane), slowedUntil = slowedUntil > now and math.floor(slowedUntil) or nil }
end
answer.now, answer.epoch = stamp(now), fleet.epoch
answer.workers = redis.call('ZCARD', KEYS[2])
if #neighbours > 0 then answer.neighbours = neighbours end
return cjson.encode(answer)
