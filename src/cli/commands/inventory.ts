import { type Command, Option } from 'commander';
import { claims, type Ownership, ownership } from '../../core/inventory/ownership.ts';
import { sentence } from '../../core/inventory/resource-state.ts';
import type { Claim, Status } from '../../core/inventory/row.ts';
import { rowsOf } from '../../core/inventory/rows.ts';
import { kindNames } from '../../core/kinds/kinds.ts';
import type { Observation } from '../../core/observed.ts';
import { actionRecorder } from '../../core/plan/destructive-drift.ts';
import { plan } from '../../core/plan/plan.ts';
import type { PlanInput } from '../../core/plan/plan-input.ts';
import { type HeldSource, lastModifiedByJson, sourceJson } from '../../core/render/plan-json.ts';
import { type Ago, touchedText } from '../../core/render/wording.ts';
import { type Kind, nameIn } from '../../core/resource.ts';
import { compareText, printable } from '../../core/text.ts';
import { withUnrecorded } from '../../engine/converge.ts';
import type { Store } from '../../ports/store.ts';
import { heldSources } from '../../queries/estate-view.ts';
import { type ApiClient, renderAnswer } from '../api-client/client.ts';
import {
  fetchInventory,
  fetchTargets,
  type InventoryObject,
  refreshTargets,
  type ScopeInventory,
} from '../api-client/inventory.ts';
import { refuseUnknown } from '../api-client/plans.ts';
import {
  apiClientFor,
  type ServerEstateOption,
  type ServerSupport,
  withServerEstateOption,
} from '../api-client/server-option.ts';
import type { Context } from '../context.ts';
import { type ExitCode, exitCodes, UserError } from '../errors.ts';
import { type LocalEstate, readEstate } from '../local/estate.ts';
import { withObservedEstate } from '../local/observe.ts';
import { withOptionalStore } from '../local/store.ts';
import { defineCommand, type EstateOptions, selectionOf, withEstateOptions } from '../options.ts';
import { agoFrom, count, formatDuration } from '../output/format.ts';
import { printHeldSources } from '../output/plan.ts';
import { paintFor, printJson, sortKeys } from '../output/print.ts';
import { table } from '../output/table.ts';
import type { Output } from '../terminal.ts';

interface Options extends EstateOptions, ServerEstateOption {
  readonly kind?: Kind;
  readonly claim?: Claim;
  readonly refresh?: boolean;
  readonly json?: boolean;
}

export const inventory = (context: Context): Command =>
  withServerEstateOption(
    withEstateOptions(
      defineCommand('inventory', {
        group: 'Look',
        summary: 'list the resources on the clouds, their owners and the reasons',
        about: 'Shows the last stored observation, with its age and completeness; --refresh observes now.',
        examples: [
          ['inventory', 'everything, as last observed'],
          ['inventory --refresh --claim unmanaged', 'observe now; list unmanaged objects with the reason'],
        ],
      }),
    ),
  )
    .addOption(new Option('--kind <kind>', 'only this kind').choices(kindNames))
    .addOption(new Option('--claim <owner>', 'only objects with this claim').choices(claims))
    .option('--refresh', 'observe the clouds now')
    .option('--json', 'one JSON object on stdout')
    .action(async (dir: string, _options: Options, command: Command) => {
      context.finish(await run(dir, command, context));
    });

const serverSupport: ServerSupport = {
  localOptions: ['allowEndpoint', 'overlay'],
  serverOptions: ['estate'],
  takesDir: false,
};

async function run(dir: string, command: Command, context: Context): Promise<ExitCode> {
  const options = command.optsWithGlobals<Options>();
  const server = await apiClientFor(command, serverSupport, context);
  if (server !== undefined) {
    const inventories = await inventoryOnServer(server, options, context);
    return renderAnswer(server, () => print({ all: inventories, held: [] }, options, context));
  }
  const allowEndpoint = options.allowEndpoint ?? !options.refresh;
  const estate = await readEstate(selectionOf(dir, { ...options, allowEndpoint }), context);
  const { all, held } = await withOptionalStore(options.dir, context, async (store) => ({
    all: await inventories(estate, store, options, context),
    held: await heldSources(estate.name, store),
  }));
  // why: a refresh has printed them already
  if (!options.refresh) printHeldSources(held, context);
  return print({ all, held }, options, context);
}

async function inventoryOnServer(
  server: ApiClient,
  options: Options,
  context: Context,
): Promise<readonly ScopeInventory[]> {
  const targets = await fetchTargets(server, options);
  refuseUnknown(options.target, { targets: targets.map(({ name }) => name) }, server.url);
  const chosen = targets.filter(({ name }) => options.target.length === 0 || options.target.includes(name));
  return fetchInventory(server, options.refresh ? await refreshTargets(server, chosen, context) : chosen, options);
}

interface Found {
  readonly all: readonly ScopeInventory[];
  /** Sources whose newest state is not active. */
  readonly held: readonly HeldSource[];
}

function print({ all, held }: Found, options: Options, { terminal, clock }: Context): ExitCode {
  const chosen = all
    .map((inventory) => ({ ...inventory, objects: inventory.objects.filter((one) => isChosen(one, options)) }))
    .sort((a, b) => compareText(a.scope, b.scope));
  const now = clock.now();
  if (options.json)
    printJson(terminal, {
      ...inventoryJson(chosen, now),
      ...(held.length === 0 ? {} : { sources: sortKeys(held.map(sourceJson)) }),
    });
  else terminal.out.write(inventoryText(chosen, now, terminal.out));
  return exitCodes.done;
}

const isChosen = (object: InventoryObject, { kind, claim }: Options): boolean =>
  (kind === undefined || object.kind === kind) && (claim === undefined || object.claim === claim);

async function inventories(
  estate: LocalEstate,
  store: Store | undefined,
  { refresh, dir }: Options,
  context: Context,
): Promise<readonly ScopeInventory[]> {
  if (refresh) {
    return withObservedEstate({ estate, store }, context, async ({ looked }) =>
      looked.map(({ input }) => shelfOf(input)),
    );
  }
  if (store === undefined)
    throw new UserError(`There is no store in ${dir}, so there is no inventory.`, {
      next: 'Observe now with --refresh.',
    });
  const kept = new Map((await store.inventory.latest(estate.name)).map((seen) => [seen.scope, seen]));
  return Promise.all(
    estate.scopes.flatMap(({ scope }) => {
      const seen = kept.get(scope);
      return seen === undefined ? [] : [fromStore(seen, estate, store)];
    }),
  );
}

async function fromStore(observation: Observation, estate: LocalEstate, store: Store): Promise<ScopeInventory> {
  const scope = estate.scopes.find((one) => one.scope === observation.scope);
  const provider = scope?.targets[0] && estate.clouds.get(scope.targets[0].spec.provider);
  if (scope === undefined || provider === undefined) throw new Error(`${observation.scope} is in no spec`);
  const known = await store.inventory.knowledge(estate.name, scope.scope);
  const knowledge = await withUnrecorded(known, observation, store.inventory);
  return shelfOf({ wanted: scope.wanted, observation, knowledge, dialect: provider.dialect });
}

function shelfOf(input: PlanInput): ScopeInventory {
  const { scope, at, gaps } = input.observation;
  const noted = actionRecorder();
  const { choices } = input;
  const made = plan({ ...input, choices: { ...choices, policies: [...(choices?.policies ?? []), noted.policy] } });
  const rows = rowsOf({ input, plan: made, planned: noted.planned(), generation: 0 });
  const status = new Map(rows.flatMap(({ called: { id }, state }) => (id === undefined ? [] : [[id, state.status]])));
  const objects = ownership(input, made).map((one) => pieceOf(one, status.get(one.observed.id) ?? 'Unmanaged'));
  return { scope, at, gaps, objects };
}

function pieceOf({ observed, claim, address, why, by }: Ownership, status: Status): InventoryObject {
  const { kind, id, name, attributes } = observed;
  return {
    kind,
    id,
    // why: not all clouds have names for all kinds
    name: name === '' && address !== undefined ? nameIn(address, kind) : name,
    status,
    claim,
    address,
    why: claim === 'ours' || claim === 'orphan' ? why : sentence(why),
    by,
    attributes,
  };
}

/** The verdict, then each scope with its age, its gaps and a table. Ids come last: some clouds' are longer than a screen. */
export function inventoryText(inventories: readonly ScopeInventory[], now: number, output: Output): string {
  const paint = paintFor(output);
  const ago = agoFrom(now);
  const all = inventories.flatMap(({ objects }) => objects);
  const verdict = `Inventory: ${count(all.length, 'object')} in ${count(inventories.length, 'scope')}${tally(all)}`;
  const parts = inventories.map(({ scope, at, gaps, objects }) => {
    const missing = printable(gaps).map(({ kind, code }) => `${kind} (${code})`);
    const whole = missing.length === 0 ? 'complete' : `incomplete: ${missing.join(', ')}`;
    const head = `${paint('strong', printable(scope))}  observed ${formatDuration(now - at)} ago · ${whole}`;
    const rows = objects.toSorted(byPlace).map((one) => row(one, ago));
    const { width = Infinity } = output;
    return `\n${head}\n${indent(table(['KIND', 'NAME', 'STATUS', 'CLAIM', 'REASON', 'ID'], rows, width - 2))}`;
  });
  return `${paint('strong', verdict)}\n${parts.join('')}`;
}

/** Independent objects first; the many rules last. A store keeps observations in an order of its own. */
const byPlace = (a: InventoryObject, b: InventoryObject): number =>
  kindOrder.indexOf(a.kind) - kindOrder.indexOf(b.kind) || compareText(shown(a), shown(b)) || compareText(a.id, b.id);

const kindOrder: readonly Kind[] = ['network', 'subnet', 'instance', 'group', 'firewall-rule'];

function tally(all: readonly InventoryObject[]): string {
  const counts = claims.map((claim) => ({ claim, n: all.filter((one) => one.claim === claim).length }));
  return counts.map(({ claim, n }) => (n > 0 ? ` · ${n} ${claim}` : '')).join('');
}

const row = (object: InventoryObject, ago: Ago): readonly string[] => [
  object.kind,
  shown(object),
  object.status,
  object.claim,
  object.claim === 'ours' ? '' : object.why,
  object.by === undefined ? object.id : `${object.id}  ${touchedText(object.by, ago)}`,
];

const shown = ({ kind, name, address }: InventoryObject): string =>
  address === undefined ? name : nameIn(address, kind);

const indent = (text: string): string => text.replaceAll(/^(?=.)/gm, '  ');

/** The same as one object; ages in milliseconds. */
const inventoryJson = (inventories: readonly ScopeInventory[], now: number): object => ({
  scopes: inventories.map(({ scope, at, gaps, objects }) => ({
    scope,
    observedAt: new Date(at).toISOString(),
    ageSeconds: Math.max(0, Math.round((now - at) / 1000)),
    complete: gaps.length === 0,
    gaps: sortKeys(gaps),
    objects: sortKeys(objects.toSorted(byPlace).map(objectJson)),
  })),
});

const objectJson = ({ kind, id, name, address, status, claim, why, by, attributes }: InventoryObject) => ({
  kind,
  id,
  name,
  address,
  status,
  claim,
  reason: why,
  lastModifiedBy: by && lastModifiedByJson(by),
  attributes,
});
