const day = 86_400_000;

/** For how long what the inventory was is kept, as SETPOINT_HISTORY_DAYS says it: 1 to 3,650; left out: as a store does. */
export function historyOf(env: NodeJS.ProcessEnv): { readonly historyMs?: number } {
  const { SETPOINT_HISTORY_DAYS: said } = env;
  if (said === undefined || said === '') return {};
  const days = Number(said);
  if (!/^\d+$/.test(said) || days < 1 || days > 3650)
    throw new Error('SETPOINT_HISTORY_DAYS is not understood: it takes a whole number of days from 1 to 3650.');
  return { historyMs: days * day };
}
