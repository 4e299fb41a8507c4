import { plan } from '../../src/core/plan/plan.ts';
import { planInput } from './input.ts';

/** Run as a process of its own, so that its peak memory is its own: prints one JSON object. */
const mebibyte = 1024 * 1024;
const input = planInput(1000);
const { desired } = input.wanted;
const { resources } = input.observation;
const data = { desired, resources };
globalThis.gc?.();
const before = process.memoryUsage().rss;

const median = (times: readonly number[]): number => times.toSorted((a, b) => a - b)[Math.floor(times.length / 2)] ?? 0;
function timed(run: () => unknown): number {
  const from = performance.now();
  run();
  return performance.now() - from;
}

const plans: number[] = [];
let text = '';
for (let i = 0; i < 5; i += 1) {
  plans.push(
    timed(() => {
      text = JSON.stringify(plan(input));
    }),
  );
}
const peak = process.resourceUsage().maxRSS / 1024 - before / mebibyte;

const floors = Array.from({ length: 5 }, () => timed(() => JSON.parse(JSON.stringify(data))));
const largest = [...desired, ...resources].reduce((most, one) => Math.max(most, JSON.stringify(one).length), 0);
const kinds = new Set(desired.map(({ kind }) => kind)).size;
const planned = JSON.parse(text) as { actions: unknown[] }; // why: the text was written two lines above
console.log(
  JSON.stringify({
    resources: desired.length,
    kinds,
    largest,
    actions: planned.actions.length,
    planMs: median(plans),
    floorMs: median(floors),
    peakMiB: peak,
  }),
);
