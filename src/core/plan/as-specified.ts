import type { Dialect } from '../compile/dialect.ts';
import type { Desired } from '../desired.ts';
import { rulesOf } from '../kinds/kinds.ts';
import { type Knowledge, withoutStore } from '../knowledge.ts';
import type { Observation, Observed } from '../observed.ts';
import type { CloudId, Ref, ScopeKey } from '../resource.ts';
import { number } from './number.ts';
import type { Wanted } from './plan-input.ts';
import { worldOf } from './world.ts';

/** A scope in which everything stands as specs ask. Nobody looked: it is what a look would show, and a store would know. */
export interface AsSpecified {
  readonly observation: Observation;
  readonly knowledge: Knowledge;
}

export interface Specified {
  readonly scope: ScopeKey;
  readonly estate: string;
  readonly wanted: Wanted;
  readonly dialect: Dialect;
}

/** Ids are made up: what was adopted has the one that its document names, and everything else its address. */
export function asSpecified({ scope, estate, wanted, dialect }: Specified): AsSpecified {
  const observation: Observation = { scope, at: 0, resources: [], gaps: [], pending: [], calls: 0 };
  const knowledge: Knowledge = { ...withoutStore(estate), store };
  const nothing = worldOf({ wanted, observation, knowledge, dialect }, []);
  const standing = number(
    wanted.desired.filter(({ terms }) => terms.presence !== 'tolerated'),
    nothing,
  );
  const ids = new Map(standing.map((one) => [one.address, idOf(one)]));
  const toId = (ref: Ref): Ref => ids.get(ref) ?? ref;
  return {
    observation: { ...observation, resources: standing.map((one) => observed(one, { estate, toId, dialect })) },
    knowledge: {
      ...knowledge,
      settled: new Map(standing.map((one) => [idOf(one), settled(one, dialect)])),
      applied: new Map(standing.map((one) => [one.address, applied(one)])),
    },
  };
}

/** Of nobody: whatever the specs are compared with has one store. */
const store = 'as-specified';

const idOf = ({ address, terms }: Desired): CloudId => terms.claim?.adopt ?? address;

interface Marking {
  readonly estate: string;
  readonly toId: (ref: Ref) => Ref;
  readonly dialect: Dialect;
}

function observed(desired: Desired, { estate, toId, dialect }: Marking): Observed {
  const { kind, address, name, attributes, terms } = desired;
  return {
    kind,
    id: idOf(desired),
    name,
    attributes: rulesOf(kind).mapRefs(named(desired, dialect), toId),
    signs: {
      mark: { estate, store, address, deletionPolicy: terms.deletionPolicy },
      ...('group' in attributes && attributes.group !== undefined ? { container: toId(attributes.group) } : {}),
    },
    condition: { state: 'ready' },
  };
}

/** What was adopted is called otherwise, but nobody compares that. */
function named({ attributes, name }: Desired, { holds: { nameLabel } }: Dialect): Desired['attributes'] {
  if (nameLabel === undefined || !('labels' in attributes)) return attributes;
  return { ...attributes, labels: { [nameLabel]: name, ...attributes.labels } };
}

const settled = ({ address, kind, terms }: Desired, { holds }: Dialect) => ({
  address,
  kind,
  lastWriteAt: 0,
  terms: {
    deletionPolicy: terms.deletionPolicy,
    protect: terms.protect,
    storeOnly: holds.fixedMarks.includes(kind) && terms.claim?.adopt !== undefined,
    ...(terms.claim?.adopt === undefined ? {} : { adopted: true as const }),
  },
});

const applied = ({ attributes, documents }: Desired) => ({
  attributes,
  generation: 1,
  documents: documents.map(({ address }) => address),
});
