import { join } from 'node:path';
import type { Command } from 'commander';
import type { CompiledScope } from '../../core/compile/compile.ts';
import { placeOf } from '../../core/compile/site.ts';
import type { Desired } from '../../core/desired.ts';
import { type Ownership, ownership } from '../../core/inventory/ownership.ts';
import { type Adoption, inPlace, obstaclesTo } from '../../core/plan/adoption.ts';
import { adoptField, type Obstacle } from '../../core/plan/findings.ts';
import type { PlanInput } from '../../core/plan/plan-input.ts';
import { prefixIn } from '../../core/resource.ts';
import { printable } from '../../core/text.ts';
import { type Estate, providerOf } from '../../estate/load.ts';
import type { Context } from '../context.ts';
import { type ExitCode, exitCodes, UserError } from '../errors.ts';
import { findAddress, readEstate } from '../local/estate.ts';
import { type ObservedEstate, withObservedEstate } from '../local/observe.ts';
import { withOptionalStore } from '../local/store.ts';
import { defineCommand, type EstateOptions, selectionOf, withSpecsOption } from '../options.ts';
import { count } from '../output/format.ts';
import { printJson, printText } from '../output/print.ts';

interface Options extends EstateOptions {
  readonly specs: string;
  readonly json?: boolean;
}

/** A line for a document, by which the object with this id is taken over. */
interface AdoptLine extends Where {
  readonly paste: string;
}

/** An object that stands in the place of a wanted resource, and cannot be adopted. */
interface NotAdoptable extends Where, Obstacle {}

interface Where {
  readonly address: string;
  readonly id: string;
  readonly file: string;
  readonly line: number;
}

export const adopt = (context: Context): Command =>
  withSpecsOption(
    defineCommand('adopt', {
      group: 'Own',
      summary: 'print the `adopt:` lines that take over existing objects',
      about:
        'Without arguments it prints a line for each desired resource whose place an unmanaged object has. It also prints the objects\nthat cannot be adopted, with the reason. Setpoint adopts nothing until you add the line to the specs and apply it.',
      examples: [
        ['adopt', 'all objects with the name of a desired resource'],
        ['adopt network/core vpc-0abc', 'this object for this document'],
      ],
    })
      .argument('[address]', 'the desired resource')
      .argument('[id]', 'the id of the object on the cloud'),
  )
    .option('--json', 'one JSON object on stdout')
    .action(async (address: string | undefined, id: string | undefined, _options: Options, command: Command) => {
      context.finish(await run({ address, id }, command.optsWithGlobals<Options>(), context));
    });

interface Pair {
  readonly address: string | undefined;
  readonly id: string | undefined;
}

async function run(pair: Pair, options: Options, context: Context): Promise<ExitCode> {
  if (pair.address !== undefined && pair.id === undefined)
    throw new UserError('The id of the object is missing.', {
      next: `setpoint adopt ${pair.address} <id on the cloud>`,
    });
  const estate = await readEstate(selectionOf(options.specs, options), context);
  const { lines, refused } = await withOptionalStore(options.dir, context, (store) =>
    withObservedEstate({ estate, store }, context, async (view) =>
      pair.address === undefined || pair.id === undefined
        ? inPlaces(view)
        : { lines: chosen(pair.address, pair.id, view), refused: [] },
    ),
  );
  if (options.json) printJson(context.terminal, { adopt: lines, refused });
  else printText(context.terminal, headline(lines, refused), textOf(printable(lines), printable(refused)));
  return exitCodes.done;
}

const headline = (lines: readonly AdoptLine[], refused: readonly NotAdoptable[]): string =>
  `Adopt: ${count(lines.length, 'line')} to paste${refused.length === 0 ? '' : `, ${count(refused.length, 'object')} that cannot be adopted`}`;

const textOf = (lines: readonly AdoptLine[], refused: readonly NotAdoptable[]): string =>
  [
    ...lines.map(({ paste, ...where }) => `\n${placed(where)}\n  ${paste}\n`),
    ...refused.map(({ id, why, next, ...where }) => `\n${placed(where)}\n  ${id}: ${why}\n  next: ${next}\n`),
  ].join('');

const placed = ({ file, line, address }: Pick<Where, 'file' | 'line' | 'address'>): string =>
  `${file}:${line}  # ${address}`;

/** Every object that stands in the place of a wanted resource. Parents and children may be adopted together. */
function inPlaces({ estate, looked, plans }: ObservedEstate): {
  readonly lines: readonly AdoptLine[];
  readonly refused: readonly NotAdoptable[];
} {
  const found = looked.flatMap(({ scope, input }, i) => {
    const plan = plans[i];
    if (plan === undefined) return [];
    const pairs = pairsIn(input, ownership(input, plan));
    const obstacles = obstaclesTo(pairs, input);
    return pairs.map((pair) => ({ scope, pair, obstacle: obstacles.get(pair.desired.address) }));
  });
  return {
    lines: found.flatMap(({ scope, pair, obstacle }) => (obstacle ? [] : [lineFor(pair, scope, estate)])),
    refused: found.flatMap(({ pair, obstacle }) => (obstacle ? [{ ...whereOf(pair, estate), ...obstacle }] : [])),
  };
}

function pairsIn({ wanted }: PlanInput, objects: readonly Ownership[]): readonly Adoption[] {
  const ours = new Map(objects.flatMap(({ address, observed }) => (address ? [[address, observed.id] as const] : [])));
  const free = objects.filter(({ claim }) => claim === 'unmanaged').map(({ observed }) => observed);
  return inPlace(wanted.desired, free, ours);
}

/**
 * The line for this very object, below that of its network, where that stands unadopted too. Throws with the reason and the next
 * step, where it cannot be adopted.
 */
function chosen(given: string, id: string, { estate, looked, plans }: ObservedEstate): readonly AdoptLine[] {
  const here = looked.flatMap(({ scope, input }, i) => {
    const plan = plans[i];
    const objects = plan === undefined ? [] : ownership(input, plan);
    const object = objects.find(({ observed }) => observed.id === id);
    return object === undefined ? [] : [{ scope, input, object, objects }];
  });
  const [found] = here;
  if (found === undefined) throw notFound(id, looked);
  const { scope, input, object, objects } = found;
  const { observed, claim, why } = object;
  const wanted = input.wanted.desired;
  const address = findAddress(given, new Set(wanted.map((one) => one.address)));
  const desired = wanted.find((one) => one.address === address);
  if (desired === undefined || observed.kind !== desired.kind)
    throw new UserError(`${id} and ${address} are of different kinds.`, {
      why: `The object is of kind ${observed.kind}.`,
      next: `Name a resource of that kind: setpoint inventory --refresh lists them.`,
      code: exitCodes.refused,
    });
  const pair = { desired, id };
  const { file, line } = whereOf(pair, estate);
  const refusal = (obstacle: Obstacle): UserError =>
    new UserError(`${id} cannot be adopted as ${address}.`, {
      where: `${file}:${line}`,
      ...obstacle,
      code: exitCodes.refused,
    });
  if (claim !== 'unmanaged' && claim !== 'copied-mark' && claim !== 'none')
    throw refusal({ why: `It is ${claim}: ${why}.`, next: nextOf[claim] });
  const network: unknown = Reflect.get(observed.attributes, 'network');
  const around = pairsIn(input, objects).filter((one) => one.desired.kind === 'network' && one.id === network);
  const obstacle = obstaclesTo([...around, pair], input).get(address);
  if (obstacle !== undefined) throw refusal(obstacle);
  return [...around, pair].map((one) => lineFor(one, scope, estate));
}

const nextOf: Readonly<Record<Exclude<Ownership['claim'], 'unmanaged' | 'copied-mark' | 'none'>, string>> = {
  ours: 'Nothing to do: Setpoint owns it already.',
  orphan: 'Write its document again, under its old name or with was: [<old name>].',
  other: 'Release it there first: setpoint forget, with the specs of that estate.',
  'foreign-store': 'Take over the objects of the other store: setpoint takeover --reason "…"',
  'unrecorded-mark': `Take over the objects that this store lost: setpoint takeover --id <id> --reason "…"`,
};

function notFound(id: string, looked: ObservedEstate['looked']): UserError {
  const scopes = looked.map(({ scope }) => scope.scope).join(', ');
  const gaps = looked.flatMap(({ input }) => input.observation.gaps.map(({ kind, reason }) => `${kind}: ${reason}`));
  return new UserError(`No object here has the id ${id}.`, {
    why:
      gaps.length === 0
        ? `${scopes}: the listings are complete and do not have it. Groups of Google Cloud are network tags, not objects.`
        : `These listings failed: ${gaps.join('; ')}`,
    next: 'Find its id: setpoint inventory --refresh',
    code: exitCodes.refused,
  });
}

function whereOf({ desired, id }: Adoption, estate: Estate): Where {
  const [document] = desired.documents;
  return {
    address: desired.address,
    id,
    file: document === undefined ? estate.dir : join(estate.dir, document.file),
    line: document?.line ?? 1,
  };
}

const lineFor = (pair: Adoption, scope: CompiledScope, estate: Estate): AdoptLine => ({
  ...whereOf(pair, estate),
  paste: adoptField(pair.desired, pair.id, targetOf(pair.desired, scope, estate)),
});

/** The target by which the document makes the resource: one scope may have several, for zones and regions of a project. */
function targetOf({ address, kind, documents }: Desired, scope: CompiledScope, estate: Estate): string {
  const { dialect } = providerOf(scope, estate);
  const spoken = scope.wanted.documents.get(documents[0]?.address ?? '')?.targets ?? [];
  const named = scope.targets.filter(({ metadata: { name } }) => spoken.length === 0 || spoken.includes(name));
  const there = named.find((target) => dialect.names.prefix(kind, placeOf(target)) === prefixIn(address, kind));
  return (there ?? named[0] ?? scope.targets[0])?.metadata.name ?? '<target>';
}
