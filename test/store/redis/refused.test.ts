import { describe } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { refusalLaws } from '../../engine/refusal-laws.ts';
import { redisMissing } from '../../support/redis.ts';
import { steadily } from '../../support/steadily.ts';
import { fleet } from './fleet.ts';

describe('limiter in Redis: what a refusal leaves of resources', { skip: redisMissing() }, () => {
  const at = fleet();
  refusalLaws((law) =>
    steadily(async () => {
      const limiter = await at.worker();
      await law({ limiter, sleep: async (ms) => void (await pause(ms)), rateLimit: at.lane });
    }),
  );
});
