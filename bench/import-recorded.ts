import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { cliDependencies } from '../src/bootstrap/cli-dependencies.ts';
import { type ProvenImport, provenImport } from '../src/cli/local/import.ts';
import type { ScopePlan } from '../src/core/action.ts';
import type { CompiledScope } from '../src/core/compile/compile.ts';
import { withoutStore } from '../src/core/knowledge.ts';
import type { Observation, Observed } from '../src/core/observed.ts';
import { plan } from '../src/core/plan/plan.ts';
import { coversPorts, type PortRange, parsePorts } from '../src/core/port-set.ts';
import type { RuleAttributes } from '../src/core/resource.ts';
import { openEstate, snapshotOf } from '../src/estate/load.ts';
import type { Figure } from './figure.ts';

import { type RecordedAccount, recordedAccounts } from './recorded-accounts.ts';

/**
 * Recorded answers of real accounts, decoded as the providers decode them, imported and planned. A recording has a part of an account
 * only, so objects that it names and lacks (a group's network, a machine's subnet) stand beside it and are not counted.
 *
 *   figure                    | counts
 *   --------------------------+-----------------------------------------------------------------------
 *   import-recorded-said      | networks, subnets, groups and rules in documents, in percent
 *   import-recorded-instances | machines in documents, in percent
 *   import-recorded-unempty   | imports whose plan does more than adopt, or that has actions once they are adopted
 *   import-recorded-missed    | changed fields, of those that the documents state, which no plan shows
 *
 * SETPOINT_RECORDINGS names their folder.
 */
export async function importRecorded(folder = recordings): Promise<readonly Figure[]> {
  if (!existsSync(folder)) throw new Error(`there is no ${folder}: set SETPOINT_RECORDINGS`);
  const tally: Tally = {
    covered: 0,
    all: 0,
    machinesCovered: 0,
    machines: 0,
    unempty: 0,
    missed: [],
    reasons: new Map(),
  };
  for (const account of recordedAccounts(folder)) await judge(account, tally);
  for (const [reason, count] of [...tally.reasons].toSorted(([, a], [, b]) => b - a))
    console.error(`import-recorded: ${count} × ${reason}`);
  const percent = (part: number, all: number): number => Math.round((part / all) * 1000) / 10;
  return [
    {
      name: 'import-recorded-said',
      value: percent(tally.covered, tally.all),
      unit: `% of ${tally.all} networks, subnets, groups and rules`,
    },
    {
      name: 'import-recorded-instances',
      value: percent(tally.machinesCovered, tally.machines),
      unit: `% of ${tally.machines} machines`,
    },
    { name: 'import-recorded-unempty', value: tally.unempty, unit: 'imports', floor: 0 },
    { name: 'import-recorded-missed', value: tally.missed.length, unit: 'mutations', floor: 0, evidence: tally.missed },
  ];
}

const recordings = resolve(
  join(import.meta.dirname, '..'),
  process.env['SETPOINT_RECORDINGS'] ?? '../shared/recordings',
);

interface Tally {
  covered: number;
  all: number;
  machinesCovered: number;
  machines: number;
  unempty: number;
  readonly missed: string[];
  readonly reasons: Map<string, number>;
}

const clock = { now: () => Date.parse('2027-01-31T00:00:00Z'), sleep: async () => {} };
const dependencies = cliDependencies(clock);

async function judge(account: RecordedAccount, tally: Tally): Promise<void> {
  const { looked, view } = await seen(account);
  const selection = { networks: [], kinds: [], ids: [], labels: [] };
  const proven = await provenImport(view, { selection, folder: 'imported' }, { dependencies, clock });
  count(account, proven, tally);
  const specs = [...snapshotOf(view.estate.tree).specs, ...proven.files];
  const tree = dependencies.parseStoredSpecs({ specs, userData: [] }, 'import');
  const opened = await openEstate(tree, dependencies.provider, '2027-01-31');
  for (const [index, { input }] of looked.entries()) {
    const scope = opened.compiled.scopes[index];
    if (scope === undefined) continue;
    if (!onlyAdopts(plan({ ...input, wanted: scope.wanted }))) tally.unempty += 1;
    const after = { ...account, objects: adopted(account.objects, scope) };
    const observation = { ...input.observation, resources: after.objects };
    const { actions } = plan({ ...input, wanted: scope.wanted, observation });
    if (actions.length > 0) tally.unempty += 1;
    tally.missed.push(...missedIn(after, scope, input, new Set(proven.covered.map(({ id }) => id))));
  }
}

const onlyAdopts = ({ actions, findings }: ScopePlan): boolean =>
  !findings.some(({ type }) => type === 'blocked') &&
  actions.every((action) => action.verb === 'adopt' && action.changes.every(({ field }) => field === 'mark'));

function count({ objects, recorded }: RecordedAccount, { covered, uncovered }: ProvenImport, tally: Tally): void {
  const ids = new Set(covered.map(({ id }) => id));
  const reasons = new Map(uncovered.map(({ id, reason }) => [id, reason]));
  for (const { id, kind } of objects.filter((one) => recorded.has(one.id) && isThere(one))) {
    const isCovered = ids.has(id);
    if (kind === 'instance') {
      tally.machines += 1;
      tally.machinesCovered += Number(isCovered);
    } else {
      tally.all += 1;
      tally.covered += Number(isCovered);
    }
    const reason = `${kind}: ${withoutNames(reasons.get(id) ?? 'it is half made')}`;
    if (!isCovered) tally.reasons.set(reason, (tally.reasons.get(reason) ?? 0) + 1);
  }
}

/** A terminated machine is no object any more. */
const isThere = ({ condition }: Observed): boolean => condition.state !== 'gone' && condition.state !== 'deleting';

const withoutNames = (reason: string): string =>
  reason.replaceAll(
    /\b(?:sg|subnet|vpc|i|pl)-[0-9a-f]+|projects\/\S+|\S+\/(?:instance|group|firewall-rule)\/\S+/g,
    '…',
  );

async function seen({ targets, objects }: RecordedAccount) {
  const text = `apiVersion: setpoint.dev/v1\nkind: Estate\nmetadata: { name: acme }\nspec: {}\n${targets}`;
  const tree = dependencies.parseStoredSpecs({ specs: [{ path: 'estate.yaml', text }], userData: [] }, 'recorded');
  const [problem] = tree.problems;
  if (problem !== undefined) throw new Error(`${problem.at.file}:${problem.at.line}: ${problem.message}`);
  const opened = await openEstate(tree, dependencies.provider, '2027-01-31');
  const estate = { ...opened, dir: '', scopes: opened.compiled.scopes };
  const looked = estate.scopes.map((scope) => {
    const dialect = opened.clouds.get(scope.targets[0]?.spec.provider ?? 'memory')?.dialect;
    if (dialect === undefined) throw new Error(`${scope.scope} has no dialect`);
    const observation: Observation = { scope: scope.scope, at: 0, resources: objects, gaps: [], pending: [], calls: 0 };
    return { scope, input: { wanted: scope.wanted, observation, knowledge: withoutStore('acme'), dialect } };
  });
  const plans = looked.map(({ input }) => plan(input));
  return { looked, view: { estate, looked, plans } };
}

type Looked = Awaited<ReturnType<typeof seen>>['looked'][number];

/** The objects once they are adopted: each bears the mark of its document. */
function adopted(objects: readonly Observed[], { wanted }: CompiledScope): readonly Observed[] {
  const addresses = new Map(
    wanted.desired.flatMap(({ address, terms }) =>
      terms.claim?.adopt === undefined ? [] : [[terms.claim.adopt, address]],
    ),
  );
  return objects.map((one) => {
    const address = addresses.get(one.id);
    return address === undefined
      ? one
      : { ...one, signs: { ...one.signs, mark: { estate: 'acme', store: '', address } } };
  });
}

/** Changes each stated field of each object in turn, and each rule: a plan must show each. */
function missedIn(
  { name, objects }: RecordedAccount,
  { wanted }: CompiledScope,
  input: Looked['input'],
  covered: ReadonlySet<string>,
): readonly string[] {
  const isShown = (resources: readonly Observed[]): boolean => {
    const { actions, findings } = plan({ ...input, wanted, observation: { ...input.observation, resources } });
    return actions.length > 0 || findings.some(({ type }) => type === 'blocked' || type === 'withheld');
  };
  const desired = new Map(wanted.desired.map((one) => [one.terms.claim?.adopt ?? '', one]));
  return objects
    .filter(({ id }) => covered.has(id))
    .flatMap((observed) => {
      const stated = desired.get(observed.id)?.attributes;
      const ignored = desired.get(observed.id)?.terms.ignore ?? [];
      const paths =
        stated === undefined
          ? [['description']]
          : leavesOf(stated).filter((path) => isCompared(path) && !ignored.includes(path.join('.')));
      const changes: readonly (readonly [text: string, change: readonly Observed[]])[] = [
        ...paths.map((path) => [path.join('.'), [mutated(observed, path)]] as const),
        ...(isAlone(observed, objects) ? [['removed', []] as const] : []),
      ];
      return changes
        .filter(([, change]) => !isShown(objects.flatMap((one) => (one === observed ? change : [one]))))
        .map(([text]) => `${name} ${observed.kind} ${observed.id}: ${text}`);
    });
}

/** A rule whose traffic no other rule of its group permits: without it, traffic changes. */
function isAlone({ id, kind, attributes }: Observed, objects: readonly Observed[]): boolean {
  if (kind !== 'firewall-rule') return false;
  const { group, match } = attributes as RuleAttributes; // why: `kind` was just checked
  const keyOf = ({ direction, action, protocol, peers }: RuleAttributes['match']): string =>
    JSON.stringify([direction, action, protocol, peers]);
  const ports = (text: string): readonly PortRange[] => parsePorts(text.split(',')) ?? [{ from: 0, to: 65_535 }];
  return !objects.some((other) => {
    if (other.kind !== 'firewall-rule' || other.id === id) return false;
    const rule = other.attributes as RuleAttributes; // why: as above
    return (
      rule.group === group &&
      keyOf(rule.match) === keyOf(match) &&
      coversPorts(ports(rule.match.ports), ports(match.ports))
    );
  });
}

type Path = readonly string[];

const leavesOf = (value: object, path: Path = []): readonly Path[] =>
  Object.entries(value).flatMap(([key, field]) =>
    typeof field === 'object' && field !== null && !Array.isArray(field)
      ? leavesOf(field, [...path, key])
      : [[...path, key]],
  );

/** An object's network and a group's default egress are stated once, when it is made. */
const isCompared = (path: Path): boolean => !['network', 'defaultEgress'].includes(path[0] ?? '');

const valueAt = (value: unknown, path: Path): unknown =>
  path.reduce<unknown>(
    (field, key) => (typeof field === 'object' && field !== null ? Reflect.get(field, key) : undefined),
    value,
  );

function mutated(observed: Observed, path: Path): Observed {
  const attributes = structuredClone(observed.attributes);
  const parent = valueAt(attributes, path.slice(0, -1));
  const key = path.at(-1) ?? '';
  if (typeof parent === 'object' && parent !== null) Reflect.set(parent, key, otherThan(Reflect.get(parent, key), key));
  // why: only the value of one field was changed, to one of its type
  return { ...observed, attributes } as Observed;
}

function otherThan(value: unknown, key: string): unknown {
  if (key === 'cidr') return '192.168.255.0/28';
  if (key === 'power') return value === 'running' ? 'stopped' : 'running';
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'number') return value + 1;
  return Array.isArray(value) ? [...value, 'other'] : `${String(value)}x`;
}
