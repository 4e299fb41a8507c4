// Loaded before a worker: its wall clock is ahead of everybody else's by SETPOINT_CHAOS_AHEAD_MS, as that of a machine without NTP.
const aheadMs = Number(process.env['SETPOINT_CHAOS_AHEAD_MS']);
const trueNow = Date.now;
const now = () => trueNow() + aheadMs;

globalThis.Date = new Proxy(Date, {
  construct: (real, given, target) => Reflect.construct(real, given.length === 0 ? [now()] : given, target),
  get: (real, name) => (name === 'now' ? now : Reflect.get(real, name)),
});
