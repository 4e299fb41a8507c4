-- The rate budgets of a fleet. Everything here happens at once, on Redis' own clock.
--
-- KEYS  fleet, workers; then for each rate limit its state, what was spent in its window, and who waits.
-- ARGV  one JSON: {verb, worker, store, alone, epoch, fresh, law, rateLimits = {{capacity, perMs, windowMs, counts, kept}, ...}, and what the verb needs}
-- Answers one JSON: {now, epoch, workers, neighbours, rateLimits = {{left, slowedUntil}, ...}, and what the verb answers}.
--
-- A rate limit is a hash: epoch; tokens, at and corrected (bucket), spent (window), full (since when nothing is missing); pace,
-- slowed, paused, next (when the first went after it was slowed); u:<share> = what the share had lately, and when. Spent in a window: a list of "<time>:<amount>", oldest first.
-- Who waits: a hash of row -> "<rank>|<since>|<due>|<first>|<all>|<share>"; one who is late by `graceMs` is passed over.

local ask = cjson.decode(ARGV[1])
local law = ask.law
local time = redis.call('TIME')
local now = tonumber(time[1]) * 1000 + tonumber(time[2]) / 1000
local rounding = 1e-6

local function text(number) return string.format('%.6f', number) end
local function stamp(ms) return string.format('%.3f', ms) end

-- The fleet's memory. A rate limit that has no state of this epoch was, at worst, emptied right before the epoch began: it has
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

-- Other databases whose fleets spend from the same rate limits.
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

local function paceAt(rateLimit, at)
  return math.min(1, rateLimit.pace + math.max(0, at - rateLimit.slowed) * law.recoveryPerMs)
end

local function allowed(rateLimit)
  return math.max(1, math.floor(rateLimit.capacity * paceAt(rateLimit, now)))
end

local function spendInWindow(rateLimit, amount, at)
  local slot = math.max(1, rateLimit.windowMs / 256)
  local ends = math.ceil(at / slot) * slot
  local last = redis.call('LINDEX', rateLimit.spentKey, -1)
  local lastEnds, lastAmount = string.match(last or '', '^(.-):(.*)$')
  if lastEnds and tonumber(lastEnds) >= ends then
    redis.call('LSET', rateLimit.spentKey, -1, lastEnds .. ':' .. text(tonumber(lastAmount) + amount))
  else
    redis.call('RPUSH', rateLimit.spentKey, stamp(ends) .. ':' .. text(amount))
  end
  rateLimit.spent = rateLimit.spent + amount
  rateLimit.full = nil
end

local function begin(rateLimit)
  redis.call('DEL', rateLimit.key, rateLimit.spentKey)
  rateLimit.pace, rateLimit.slowed, rateLimit.paused = 1, 0, 0
  rateLimit.used, rateLimit.at, rateLimit.spent, rateLimit.corrected = {}, now, 0, fleet.born
  -- A rate limit that the database keeps too is full here: its shares there say what is left. Neighbours do not spend from those.
  local full = fleet.fresh or (rateLimit.kept and ask.alone and #neighbours == 0)
  if not rateLimit.windowMs then
    rateLimit.tokens = full and rateLimit.capacity or math.min(rateLimit.capacity, (now - fleet.born) * rateLimit.perMs)
  elseif not full and fleet.born + rateLimit.windowMs > now then
    spendInWindow(rateLimit, rateLimit.capacity, fleet.born)
  end
end

local function remember(rateLimit)
  local flat = redis.call('HGETALL', rateLimit.key)
  local state, used = {}, {}
  for i = 1, #flat, 2 do
    local share = string.match(flat[i], '^u:(.*)$')
    if share then used[share] = flat[i + 1] else state[flat[i]] = flat[i + 1] end
  end
  if state.epoch ~= fleet.epoch then return begin(rateLimit) end
  for _, field in ipairs({ 'tokens', 'at', 'spent', 'full', 'pace', 'slowed', 'paused', 'next', 'corrected' }) do
    rateLimit[field] = tonumber(state[field] or '')
  end
  rateLimit.corrected = rateLimit.corrected or now
  rateLimit.used = {}
  for share, value in pairs(used) do
    local amount, at = string.match(value, '^(.-):(.*)$')
    local left = tonumber(amount) * math.exp(-math.max(0, now - tonumber(at)) / law.fadeMs)
    if left > 0.01 then rateLimit.used[share] = left else redis.call('HDEL', rateLimit.key, 'u:' .. share) end
  end
end

local function refill(rateLimit)
  if rateLimit.windowMs then
    local first = redis.call('LINDEX', rateLimit.spentKey, 0)
    while first do
      local ends, amount = string.match(first, '^(.-):(.*)$')
      if tonumber(ends) + rateLimit.windowMs > now then break end
      redis.call('LPOP', rateLimit.spentKey)
      rateLimit.spent = rateLimit.spent - tonumber(amount)
      first = redis.call('LINDEX', rateLimit.spentKey, 0)
    end
    if not first then rateLimit.spent = 0 end
    if not first and not rateLimit.full then rateLimit.full = now end
    return
  end
  local pace = (paceAt(rateLimit, rateLimit.at) + paceAt(rateLimit, now)) / 2
  rateLimit.tokens = math.min(rateLimit.capacity, rateLimit.tokens + math.max(0, now - rateLimit.at) * rateLimit.perMs * pace)
  rateLimit.at = math.max(rateLimit.at, now)
  if rateLimit.tokens >= rateLimit.capacity then rateLimit.full = rateLimit.full or now else rateLimit.full = nil end
end

local function loadRateLimits()
  local rateLimits = {}
  for i, spec in ipairs(ask.rateLimits) do
    local rateLimit = { capacity = spec.capacity, perMs = spec.perMs, windowMs = spec.windowMs }
    rateLimit.kept = spec.kept
    rateLimit.ofResources = spec.counts == 'resources'
    rateLimit.key, rateLimit.spentKey, rateLimit.rowsKey = KEYS[i * 3], KEYS[i * 3 + 1], KEYS[i * 3 + 2]
    remember(rateLimit)
    refill(rateLimit)
    rateLimits[i] = rateLimit
  end
  return rateLimits
end

local function save(rateLimit)
  local fields = { 'epoch', fleet.epoch, 'pace', text(rateLimit.pace), 'slowed', stamp(rateLimit.slowed), 'paused', stamp(rateLimit.paused) }
  local function put(field, value) fields[#fields + 1] = field; fields[#fields + 1] = value end
  if rateLimit.windowMs then put('spent', text(rateLimit.spent)) else put('tokens', text(rateLimit.tokens)); put('at', stamp(rateLimit.at)); put('corrected', stamp(rateLimit.corrected)) end
  put('full', rateLimit.full and stamp(rateLimit.full) or '')
  put('next', rateLimit.next and stamp(rateLimit.next) or '')
  if rateLimit.had then put('u:' .. ask.share, text(rateLimit.used[ask.share]) .. ':' .. stamp(now)) end
  redis.call('HSET', rateLimit.key, unpack(fields))
  -- why: long after it is full again; one that is gone is taken to be so
  local gain = rateLimit.windowMs or rateLimit.capacity / rateLimit.perMs
  local keep = math.ceil(math.max(0, rateLimit.paused - now) + 3600000 + 2 * gain / law.slowest)
  redis.call('PEXPIRE', rateLimit.key, keep)
  redis.call('PEXPIRE', rateLimit.spentKey, keep)
  redis.call('PEXPIRE', rateLimit.rowsKey, keep)
end

local function left(rateLimit)
  if rateLimit.windowMs then return allowed(rateLimit) - rateLimit.spent end
  return rateLimit.tokens
end

-- Milliseconds until there is so much; more than all waits for all.
local function readyIn(rateLimit, amount)
  local pause = math.max(0, rateLimit.paused - now)
  if not rateLimit.windowMs then
    local missing = math.min(amount, rateLimit.capacity) - rateLimit.tokens
    if missing <= rounding then return pause end
    return math.max(pause, missing / (rateLimit.perMs * paceAt(rateLimit, now)))
  end
  local most = allowed(rateLimit)
  local over = rateLimit.spent + math.min(amount, most) - most
  if over <= rounding then return pause end
  for _, entry in ipairs(redis.call('LRANGE', rateLimit.spentKey, 0, -1)) do
    local ends, spent = string.match(entry, '^(.-):(.*)$')
    over = over - tonumber(spent)
    if over <= rounding then return math.max(pause, tonumber(ends) + rateLimit.windowMs - now) end
  end
  return math.max(pause, rateLimit.windowMs)
end

local function spend(rateLimit, amount)
  if rateLimit.windowMs then spendInWindow(rateLimit, amount, now) else rateLimit.tokens = rateLimit.tokens - amount; rateLimit.full = nil end
  rateLimit.used[ask.share] = (rateLimit.used[ask.share] or 0) + amount
  rateLimit.had = true
  rateLimit.next = rateLimit.next or now
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

local function othersAt(rateLimit)
  local others, flat = {}, redis.call('HGETALL', rateLimit.rowsKey)
  for i = 1, #flat, 2 do
    local rank, since, due, first, all, share = string.match(flat[i + 1], '^(.-)|(.-)|(.-)|(.-)|(.-)|(.*)$')
    due = tonumber(due)
    if due + 10 * law.graceMs < now then
      redis.call('HDEL', rateLimit.rowsKey, flat[i])
    elseif flat[i] ~= ask.row and due + law.graceMs >= now then
      others[#others + 1] = { rank = tonumber(rank), since = tonumber(since), first = tonumber(first), all = tonumber(all), used = rateLimit.used[share] or 0 }
    end
  end
  return others
end

-- Milliseconds until the asker may take this from the rate limit, as far as one can tell.
local function waitAt(rateLimit, amount, since)
  local own = { rank = ask.rank, since = since, used = rateLimit.used[ask.share] or 0 }
  local due = 0
  for _, other in ipairs(rateLimit.others) do due = due + leftTo(other, own) end
  local wait = readyIn(rateLimit, amount + due)
  -- A rate limit that is full and smaller than what all wait for: theirs is the turn, unless they let it stand unused.
  if wait > 0 or due == 0 or amount + due <= left(rateLimit) + rounding then return wait end
  if rateLimit.full and now - rateLimit.full >= law.unusedMs then return 0 end
  return law.leastMs
end

-- Where the asker waits: its place in each rate limit, with what is to be left to it there.
local function line(rateLimits, need, since, wait)
  local longest = 0
  for i, rateLimit in ipairs(rateLimits) do rateLimit.own = readyIn(rateLimit, need[i]); longest = math.max(longest, rateLimit.own) end
  for i, rateLimit in ipairs(rateLimits) do
    local all = rateLimit.own >= longest and ask.totals[i] or need[i]
    local place = { ask.rank, stamp(since), stamp(now + wait), text(need[i]), text(all), ask.share }
    redis.call('HSET', rateLimit.rowsKey, ask.row, table.concat(place, '|'))
  end
end

local verbs = {}

-- {row, rank, share, waited, needs = {{amount of each rate limit}, ...}, totals} -> {granted, wait}: as many as may go now, in
-- order, and when to come again for the rest. No needs: nobody waits there any more.
function verbs.take(rateLimits)
  for _, rateLimit in ipairs(rateLimits) do rateLimit.others = othersAt(rateLimit) end
  local since, granted, wait = now - ask.waited, 0, 0
  for _, need in ipairs(ask.needs) do
    for i, rateLimit in ipairs(rateLimits) do wait = math.max(wait, waitAt(rateLimit, need[i], since)) end
    if wait > 0 then break end
    for i, rateLimit in ipairs(rateLimits) do
      spend(rateLimit, need[i])
      ask.totals[i] = ask.totals[i] - need[i]
    end
    since, granted = now, granted + 1
  end
  local nextNeed = ask.needs[granted + 1]
  if nextNeed then
    wait = math.min(law.mostMs, math.max(law.leastMs, wait))
    line(rateLimits, nextNeed, since, wait)
  else
    for _, rateLimit in ipairs(rateLimits) do redis.call('HDEL', rateLimit.rowsKey, ask.row) end
  end
  return { granted = granted, wait = wait }
end

-- What was let go at `sentAt` and refused is in the bucket again, but for what it gained since: see src/engine/rate-limit.ts.
local function giveBack(rateLimit, amount, sentAt)
  if sentAt <= rateLimit.corrected then return end
  local owed = math.max(0, amount - math.max(0, now - sentAt) * rateLimit.perMs)
  rateLimit.tokens = math.min(rateLimit.capacity, rateLimit.tokens + owed)
end

local function setTokens(rateLimit, tokens)
  rateLimit.tokens = tokens
  rateLimit.corrected = now
  rateLimit.full = nil
end

-- {sentAt, retryAfterMs, amount} -> {slowed}: once for all that went before the last slow-down. What is left: as in
-- src/ports/limiter.ts, where the table is.
function verbs.slow(rateLimits)
  local rateLimit = rateLimits[1]
  rateLimit.paused = math.max(rateLimit.paused, now + ask.retryAfterMs)
  if rateLimit.ofResources then giveBack(rateLimit, ask.amount, ask.sentAt) end
  if ask.sentAt <= rateLimit.slowed then return { slowed = false } end
  local again = rateLimit.next and ask.sentAt <= rateLimit.next and paceAt(rateLimit, ask.sentAt) < 1
  rateLimit.pace = math.max(law.slowest, paceAt(rateLimit, now) / 2)
  rateLimit.slowed = tonumber(stamp(now))
  rateLimit.next = nil
  if not rateLimit.windowMs and (again or not rateLimit.ofResources) then setTokens(rateLimit, math.min(rateLimit.tokens, 0)) end
  return { slowed = true }
end

-- {amounts}: there is no more left than this.
function verbs.lower(rateLimits)
  for i, rateLimit in ipairs(rateLimits) do
    local unseen = (rateLimit.windowMs and rateLimit.capacity - rateLimit.spent or rateLimit.tokens) - ask.amounts[i]
    if unseen > 0 and rateLimit.windowMs then spendInWindow(rateLimit, unseen, now) end
    if unseen > 0 and not rateLimit.windowMs then setTokens(rateLimit, rateLimit.tokens - unseen) end
  end
  return {}
end

-- {amounts}: so much was spent while Redis was away. The cloud's own bucket is never in debt.
function verbs.repay(rateLimits)
  for i, rateLimit in ipairs(rateLimits) do
    if rateLimit.windowMs then
      spendInWindow(rateLimit, ask.amounts[i], now)
    else
      setTokens(rateLimit, math.min(rateLimit.tokens, math.max(0, rateLimit.tokens - ask.amounts[i])))
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
local rateLimits = loadRateLimits()
local answer = verbs[ask.verb](rateLimits)
answer.rateLimits = {}
for i, rateLimit in ipairs(rateLimits) do
  save(rateLimit)
  local slowedUntil = math.max(rateLimit.paused, rateLimit.slowed + (1 - rateLimit.pace) / law.recoveryPerMs)
  answer.rateLimits[i] = { left = left(rateLimit), slowedUntil = slowedUntil > now and math.floor(slowedUntil) or nil }
end
answer.now, answer.epoch = stamp(now), fleet.epoch
answer.workers = redis.call('ZCARD', KEYS[2])
if #neighbours > 0 then answer.neighbours = neighbours end
return cjson.encode(answer)
