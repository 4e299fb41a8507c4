import { setTimeout as sleep } from 'node:timers/promises';
import type { Clock } from '../../src/ports/clock-and-log.ts';

export const clock: Clock = { now: Date.now, sleep: (ms, signal) => sleep(ms, undefined, { signal }) };
