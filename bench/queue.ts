import type { Figure } from './figure.ts';
import { barePasses, ourPasses } from './queue/passes.ts';
import { queueStages, type Stage } from './queue/stages.ts';

/** Passes that come to nothing, one place each: how many a second one process carries out, beside bare BullMQ on the same server. */
export async function queue(passes: Readonly<Record<Stage['backend'], number>> = usual): Promise<readonly Figure[]> {
  const figures: Figure[] = [];
  for (const open of queueStages()) {
    const stage = await open();
    try {
      figures.push(await figureOf(stage, passes[stage.backend]));
    } finally {
      await stage.close();
    }
  }
  return figures;
}

const usual = { redis: 5_000, postgres: 1_000 };

/** The better of two rounds of each, in turns: other work on the machine only ever slows a round. */
async function figureOf(stage: Stage, passes: number): Promise<Figure> {
  const rates = { ours: 0, bare: 0 };
  for (let round = 0; round < 2; round++) {
    rates.bare = Math.max(rates.bare, await barePasses(stage, passes, `bare${round}`));
    rates.ours = Math.max(rates.ours, await ourPasses(stage, passes, `ours${round}`));
  }
  return {
    name: `queue-${stage.backend}`,
    value: Math.round(rates.ours),
    unit: 'passes/s',
    floor: Math.round(rates.bare),
    ratio: Math.round((100 * rates.ours) / rates.bare) / 100,
  };
}
