import { join } from 'node:path';
import type { Command } from 'commander';
import type { Estate } from '../../answers/estate.ts';
import { nameIn } from '../../core/address.ts';
import type { Desired } from '../../core/desired.ts';
import { type Ownership, ownership } from '../../core/inventory/ownership.ts';
import { printable } from '../../core/printable.ts';
import { Complaint } from '../complaint.ts';
import type { Context } from '../context.ts';
import { readEstate } from '../estate/estate.ts';
import { findAddress } from '../estate/find-address.ts';
import { withStore } from '../estate/opened-store.ts';
import { choiceOf, type EstateOptions, withSpecsOption } from '../estate/options.ts';
import { type Survey, withSurvey } from '../estate/survey.ts';
import { type ExitCode, exitCodes } from '../exit-code.ts';
import { count } from '../output/count.ts';
import { emitJson, emitText } from '../output/emit.ts';
import { verb } from '../verb.ts';

interface Options extends EstateOptions {
  readonly specs: string;
  readonly json?: boolean;
}

/** A line for a document, by which the object with this id is taken over. */
interface AdoptLine {
  readonly address: string;
  readonly id: string;
  readonly file: string;
  readonly line: number;
  readonly paste: string;
}

export const adopt = (context: Context): Command =>
  withSpecsOption(
    verb('adopt', {
      group: 'Own',
      summary: 'print the `adopt:` lines that take over objects that are already there',
      about:
        'Without arguments: a line for every wanted resource that an unmanaged object of the same kind and name stands in for.\nNothing is taken over until the line is in the specs and applied.',
      examples: [
        ['adopt', 'whatever has the name that we want'],
        ['adopt network/core vpc-0abc', 'this object for this document'],
      ],
    })
      .argument('[address]', 'the wanted resource')
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
    throw new Complaint('Which object?', { next: `setpoint adopt ${pair.address} <id on the cloud>` });
  const estate = await readEstate(choiceOf(options.specs, options), context);
  const lines = await withStore(options.dir, context, (store) =>
    withSurvey({ estate, store }, context, async (survey) => linesFor(pair, survey)),
  );
  if (options.json) emitJson(context.terminal, { adopt: lines });
  else
    emitText(context.terminal, `Adopt: ${count(lines.length, 'line')} to paste`, printable(lines).map(text).join(''));
  return exitCodes.done;
}

const text = ({ file, line, paste, address }: AdoptLine): string => `\n${file}:${line}  # ${address}\n  ${paste}\n`;

function linesFor({ address, id }: Pair, { estate, looked, plans }: Survey): readonly AdoptLine[] {
  return looked.flatMap(({ input }, i) => {
    const plan = plans[i];
    if (plan === undefined) return [];
    const objects = ownership(input, plan);
    const wanted = input.wanted.desired;
    if (address === undefined || id === undefined) return sameNames(wanted, objects, estate);
    const object = objects.find(({ observed }) => observed.id === id);
    if (object === undefined) return [];
    return [chosen(findAddress(address, new Set(wanted.map((one) => one.address))), object, { wanted, estate })];
  });
}

interface Here {
  readonly wanted: readonly Desired[];
  readonly estate: Estate;
}

function chosen(address: string, { observed, claim, why }: Ownership, { wanted, estate }: Here): AdoptLine {
  const desired = wanted.find((one) => one.address === address);
  if (desired === undefined || observed.kind !== desired.kind)
    throw new Complaint(`${observed.id} is a ${observed.kind}, and ${address} is not.`, { code: exitCodes.refused });
  if (claim !== 'unmanaged' && claim !== 'copied-mark')
    throw new Complaint(`${observed.id} cannot be adopted.`, {
      why: `It is ${claim}: ${why}.`,
      code: exitCodes.refused,
    });
  return lineFor(desired, observed.id, estate);
}

/** Wanted, not there, and somebody else's object of that kind has its name. */
function sameNames(wanted: readonly Desired[], objects: readonly Ownership[], estate: Estate): readonly AdoptLine[] {
  const ours = new Set(objects.flatMap(({ address }) => address ?? []));
  const free = objects.filter(({ claim, observed }) => claim === 'unmanaged' && observed.name !== '');
  return wanted
    .filter(
      ({ address, kind, terms }) => kind !== 'firewall-rule' && !ours.has(address) && terms.claim?.adopt === undefined,
    )
    .flatMap((desired) => {
      const same = free.find(({ observed }) => observed.kind === desired.kind && observed.name === desired.name);
      return same === undefined ? [] : [lineFor(desired, same.observed.id, estate)];
    });
}

function lineFor(desired: Desired, id: string, estate: Estate): AdoptLine {
  const [document] = desired.documents;
  const target = targetOf(desired, estate);
  const holder =
    desired.kind === 'subnet' ? `on the subnet ${nameIn(desired.address, 'subnet')}: ` : 'under metadata: ';
  return {
    address: desired.address,
    id,
    file: document === undefined ? estate.dir : join(estate.dir, document.file),
    line: document?.line ?? 1,
    paste: `${holder}adopt: { ${target}: ${id} }`,
  };
}

function targetOf({ address }: Desired, { scopes }: Estate): string {
  const scope = scopes.find(({ wanted }) => wanted.desired.some((one) => one.address === address));
  return scope?.targets[0]?.metadata.name ?? 'target';
}
