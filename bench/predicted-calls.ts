import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { aws } from '../providers/aws/index.ts';
import { azure } from '../providers/azure/index.ts';
import { gcp } from '../providers/gcp/index.ts';
import type { SpecFile } from '../src/source/tree.ts';
import { drawnSpecs } from './estate/drawn-specs.ts';
import type { Figure } from './figure.ts';
import { type CloudScope, openStage, type Stage } from './world/stage.ts';

/** One state of an estate after another: each is converged to. */
interface Example {
  readonly name: string;
  readonly cloudScope: CloudScope;
  steps(stage: Stage): readonly (readonly [name: string, files: readonly SpecFile[]])[];
}

interface Count {
  readonly name: string;
  readonly predicted: number;
  readonly made: number;
}

/** Makes the calls that a step's convergence made differ from those that it needs; benches do nothing. */
export type Disturb = (stage: Stage) => unknown;

/**
 * Requests that change something: those that the first plan of a step predicts, against those that reach the cloud until nothing is
 * left to do. The figure is the worst difference over all examples and steps. Asked: at most 5 %.
 */
export async function predictedCalls(
  chosen = examples,
  disturb: Disturb = () => undefined,
): Promise<readonly Figure[]> {
  const counts: Count[] = [];
  for (const example of chosen) counts.push(...(await countsOf(example, disturb)));
  const off = ({ predicted, made }: Count): number => (100 * Math.abs(predicted - made)) / Math.max(1, made);
  return [
    { name: 'predicted-calls', value: Math.max(...counts.map(off)), unit: `% at worst, of ${counts.length} plans` },
  ];
}

async function countsOf({ name, cloudScope, steps }: Example, disturb: Disturb): Promise<readonly Count[]> {
  const stage = await openStage({ budgets: false, clock: { rate: 1000, start: Date.UTC(2027, 0, 31) } }, cloudScope);
  const { log } = stage.sandbox.control;
  const counts: Count[] = [];
  try {
    for (const [step, files] of steps(stage)) {
      log.clear();
      disturb(stage);
      const { outcome, predicted, rounds: reconciles } = await stage.apply(files);
      const failed = reconciles.flatMap((reconcile) =>
        reconcile.failed.map(({ address, failure }) => `${address}: ${failure.message}`),
      );
      if (outcome !== 'done')
        throw new Error(`${name}, ${step}: ended as ${outcome}; ${failed.slice(0, 3).join('; ')}`);
      const writes = log.entries({ mutating: true });
      const actions = Map.groupBy(writes, ({ action }) => action);
      const told = [...actions].map(([action, of]) => `${action} ${of.length}`).join(', ');
      console.error(`predicted-calls: ${name}, ${step}: ${predicted} predicted, ${writes.length} made: ${told}`);
      counts.push({ name: `${name}, ${step}`, predicted, made: writes.length });
    }
  } finally {
    await stage.close();
  }
  return counts;
}

const specs = (folder: string, names: readonly string[]): readonly SpecFile[] =>
  names.map((path) => ({
    path,
    text: readFileSync(fileURLToPath(new URL(`../${folder}/${path}`, import.meta.url)), 'utf8'),
  }));

/** The example of the repository on one of its targets, by which it is made, changed and emptied. */
function exampleOn(target: string, cloudScope: CloudScope): Example {
  const files = specs('specs', ['estate.yaml', 'network.yaml', 'instances.yaml']);
  const here = (change: (text: string) => string, stage: Stage): readonly SpecFile[] =>
    files.map(({ path, text }) => ({ path, text: change(onOne(text, target, stage.place.endpoint)) }));
  return {
    name: `specs on ${target}`,
    cloudScope,
    steps: (stage) => [
      ['created', here((text) => text, stage)],
      ['labels', here((text) => text.replace('tier: web', 'tier: shop').replace('env: prod', 'env: live'), stage)],
      [
        'rules',
        here((text) => text.replace('ports: [443]', 'ports: [443, 8443]').replace('the site reads', 'reads'), stage),
      ],
      ['replicas', here((text) => text.replace('replicas: 2', 'replicas: 6'), stage)],
      ['fewer', here((text) => text.replace('replicas: 2', 'replicas: 1'), stage)],
    ],
  };
}

const onOne = (text: string, target: string, endpoint: string): string => {
  const kept = text
    .split('\n---\n')
    .filter((document) => !/kind: Target/.test(document) || document.includes(`name: ${target} `))
    .join('\n---\n');
  const others = ['aws-prod', 'gcp-prod', 'azure-prod'].filter((name) => name !== target);
  return kept
    .replaceAll(/targets: \[.*?\]/g, `targets: [${target}]`)
    .replaceAll('http://127.0.0.1:4566', endpoint)
    .replaceAll('zone: europe-west1-b ', 'minReady: 0\n  zone: europe-west1-b ')
    .replaceAll(/ {4}(\S+-prod):\n(?: {6}.*\n?)+/g, (block, name: string) => (others.includes(name) ? '' : block));
};

const onAws: CloudScope = { provider: aws, account: '111122223333', region: 'eu-west-1' };
const onGcp: CloudScope = { provider: gcp, account: 'acme-prod', region: 'europe-west1' };
const onAzure: CloudScope = { provider: azure, account: '11112222-3333-4444-8555-666677778888', region: 'westeurope' };

/**
 * Made only: where rules of a standing estate move with machines, the order that keeps traffic closed sends one batch in parts, and
 * no count of batches foresees it.
 */
const drawn = (seed: number): Example => ({
  name: `drawn ${seed}`,
  cloudScope: onAws,
  steps: ({ place }) => [['created', drawnSpecs(seed, 1, place)]],
});

export const examples: readonly Example[] = [
  exampleOn('aws-prod', onAws),
  exampleOn('gcp-prod', onGcp),
  exampleOn('azure-prod', onAzure),
  ...[1, 2, 3].map(drawn),
];
