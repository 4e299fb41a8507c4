import assert from 'node:assert/strict';
import type { Kind } from '../../../src/core/resource.ts';
import type { Creation } from '../../../src/ports/provider.ts';
import { recordedCall } from '../../support/fixtures.ts';
import type { Law } from '../law.ts';
import { changesBetween, created, failureKinds, look, only, type Stage, seenAfterCreation } from '../stage.ts';
import { byContent, every, just, leaveTogether, marked, once, where } from '../subject.ts';
import { type Variant, variants } from '../variants.ts';

export const creationLaws: readonly Law[] = [
  ...variants.map(listsBack),
  {
    name: 'the answer to a creation says nothing that the listing does not',
    kinds: every,
    hold: async (stage, kind) => {
      const creation = stage.creation(kind);
      const answer = await created(stage, creation);
      const seen = await look(stage, kind, answer.id);
      assert.deepEqual(seen && changesBetween(kind, answer.attributes, seen.attributes), []);
      assert.deepEqual(answer.signs.mark, seen?.signs.mark);
      assert.equal(answer.name, seen?.name);
    },
  },
  {
    name: 'a machine gets exactly the name that is asked for, whatever its address',
    kinds: just('instance'),
    hold: async (stage) => {
      const creation = stage.creation('instance');
      const { nameLabel } = stage.subject.dialect.holds;
      const desired = { ...creation.desired, name: 'legacy-db-01' };
      const seen = await seenAfterCreation(stage, { ...creation, desired });
      assert.equal(seen.name, 'legacy-db-01');
      if (nameLabel !== undefined) assert.equal(seen.attributes.labels[nameLabel], 'legacy-db-01');
      assert.equal(seen.signs.mark?.address, desired.address);
      const again = await created(stage, { ...creation, desired });
      assert.equal(again.id, seen.id);
      assert.deepEqual(idsOf(await stage.listed('instance')), [seen.id]);
    },
  },
  {
    name: 'a batch is answered with one result for each item, in order',
    kinds: every,
    hold: async (stage, kind) => {
      const batch = [stage.creation(kind), stage.creation(kind), stage.creation(kind)];
      const results = await stage.harness.run(() => stage.actuator(kind).create(batch, recordedCall()));
      assert.deepEqual(failureKinds(results), ['ok', 'ok', 'ok']);
      for (const [index, result] of results.entries()) {
        const wanted = batch[index]?.desired.attributes;
        assert.ok(result.ok && wanted);
        assert.deepEqual(changesBetween(kind, wanted, result.value.attributes), [], `item ${index}`);
      }
    },
  },
  {
    name: 'an empty batch is answered with nothing, and nothing is sent',
    kinds: every,
    hold: async (stage, kind) => {
      const call = recordedCall();
      assert.deepEqual(await stage.harness.run(() => stage.actuator(kind).create([], call)), []);
      assert.deepEqual(call.admitted, []);
    },
  },
  {
    name: 'a creation sent again with its token makes one object',
    kinds: once,
    hold: async (stage, kind) => {
      const creation = stage.creation(kind);
      const first = await created(stage, creation);
      await stage.harness.settle();
      const before = await stage.listed(kind);
      const again = await created(stage, creation);
      assert.equal(again.id, first.id);
      assert.deepEqual(idsOf(await stage.listed(kind)), idsOf(before));
    },
  },
  {
    name: 'a batch sent again with its tokens makes nothing new',
    kinds: once,
    hold: async (stage, kind) => {
      const batch = replicas(stage, kind);
      const first = await stage.harness.run(() => stage.actuator(kind).create(batch, recordedCall()));
      const before = await stage.listed(kind);
      const again = await stage.harness.run(() => stage.actuator(kind).create(batch, recordedCall()));
      assert.deepEqual(again.map(idOf), first.map(idOf));
      assert.deepEqual(idsOf(await stage.listed(kind)), idsOf(before));
    },
  },
  {
    name: 'a bad item in a batch does not sink the others',
    kinds: every,
    hold: async (stage, kind) => {
      const batch = [stage.creation(kind), bad(stage, kind), stage.creation(kind)];
      const results = await stage.harness.run(() => stage.actuator(kind).create(batch, recordedCall()));
      const kinds = failureKinds(results);
      assert.deepEqual([kinds[0], kinds[2]], ['ok', 'ok']);
      assert.match(kinds[1] ?? '', /^(terminal|not-found)$/);
      const ids = idsOf(await stage.listed(kind));
      for (const result of [results[0], results[2]]) assert.ok(result?.ok && ids.includes(result.value.id));
    },
  },
  {
    name: 'equal machines of a batch leave in one launch',
    kinds: where(just('instance'), leaveTogether('launches')),
    hold: async (stage, kind) => {
      const call = recordedCall();
      const batch = replicas(stage, kind);
      await stage.harness.run(() => stage.actuator(kind).create(batch, call));
      const [launch, ...others] = call.admitted.filter(({ mutating }) => mutating).map(({ action }) => action);
      assert.ok(launch !== undefined && !others.includes(launch));
      assert.ok(others.length <= batch.length, 'one call for each name at most');
    },
  },
  {
    name: 'atoms of one container and direction leave in one call',
    kinds: where(just('firewall-rule'), leaveTogether('rules')),
    hold: async (stage, kind) => {
      const call = recordedCall();
      await stage.harness.run(() => stage.actuator(kind).create(replicas(stage, kind), call));
      assert.equal(call.admitted.filter(({ mutating }) => mutating).length, 1);
    },
  },
  {
    name: 'closed egress leaves no default rule in a new group',
    kinds: where(just('group'), byContent),
    hold: async (stage) => {
      const open = await created(stage, stage.creation('group'));
      const closed = await created(stage, stage.creation('group', { defaultEgress: 'deny' }));
      const rules = await stage.listed('firewall-rule');
      const egressOf = (group: string): number =>
        rules.filter(({ attributes: { group: own, match } }) => own === group && match.direction === 'egress').length;
      assert.deepEqual([egressOf(open.id) > 0, egressOf(closed.id)], [true, 0]);
    },
  },
  {
    name: 'what stands already answers a rule that asks for it',
    kinds: where(just('firewall-rule'), byContent),
    hold: async (stage) => {
      const first = stage.creation('firewall-rule');
      const other = { ...stage.creation('firewall-rule'), desired: first.desired };
      const { id } = await created(stage, first);
      await stage.harness.settle();
      assert.equal((await created(stage, other)).id, id);
    },
  },
  {
    name: 'a name or block that others took is a conflict, though they copied our mark, and theirs stays as it is',
    kinds: (subject) => marked(subject).filter((kind) => subject.dialect.holds.oneByName.includes(kind)),
    hold: async (stage, kind) => {
      const theirs = stage.creation(kind, {}, 'shared');
      const { id } = await created(stage, theirs);
      await stage.harness.settle();
      const ours = { ...theirs, token: 'another', mark: { ...theirs.mark, intent: 'another' } };
      const results = await stage.harness.run(() => stage.actuator(kind).create([ours], recordedCall()));
      assert.deepEqual(failureKinds(results), ['conflict']);
      assert.deepEqual((await look(stage, kind, id))?.signs.mark, theirs.mark);
    },
  },
];

function listsBack({ kind, name, attributes, fits }: Variant): Law {
  return {
    name: `with ${name}: what is created lists back without a difference`,
    kinds: where(just(kind), (subject) => fits?.(subject) !== false && !subject.manners.unsaid.includes(name)),
    hold: async (stage) => {
      // why: a variant's attributes are those of its own kind
      const creation = stage.creation(kind, attributes(stage)) as Creation;
      const seen = await seenAfterCreation(stage, creation);
      assert.deepEqual(changesBetween(kind, creation.desired.attributes, seen.attributes), []);
      assert.equal(seen.condition.state, 'ready');
    },
  };
}

/** Three that may share a call. */
export const replicas = (stage: Stage, kind: Kind): readonly Creation[] =>
  [0, 1, 2].map((ordinal) => stage.creation(kind, {}, `fleet-${ordinal}`));

/** One that this cloud must refuse. */
function bad(stage: Stage, kind: Kind): Creation {
  const { nowhere } = stage.harness.words;
  switch (kind) {
    case 'network': {
      if (stage.subject.dialect.holds.network.includes('cidr'))
        return stage.creation('network', { cidr: byContent(stage.subject) ? '10.250.0.0/31' : '10.250.0.0/40' });
      const creation = stage.creation('network');
      // why: its description holds the mark, and takes 2048 characters
      return { ...creation, mark: { ...creation.mark, address: `gcp/${'long'.repeat(600)}/network/core` } };
    }
    case 'subnet':
      // why: where a network has no block of its own, only too small a one is wrong in itself
      return stage.creation('subnet', {
        cidr: stage.subject.dialect.holds.network.includes('cidr') ? '172.16.0.0/24' : '10.1.250.0/31',
      });
    case 'group':
      // why: where a group is of no network it can only be called amiss
      return byContent(stage.subject)
        ? stage.creation('group', { network: nowhere('network') })
        : stage.creation('group', {}, 'long'.repeat(30));
    case 'firewall-rule': {
      const { match, group } = stage.creation('firewall-rule').desired.attributes;
      if (group === undefined) return stage.creation('firewall-rule', { network: nowhere('network') });
      return stage.creation('firewall-rule', { match: { ...match, peers: [`group:${nowhere('group')}`] } });
    }
    case 'instance':
      return stage.creation('instance', { placement: { subnet: nowhere('subnet'), publicIp: false } });
  }
}

const idsOf = (all: readonly { readonly id: string }[]): readonly string[] => all.map(({ id }) => id).toSorted();
const idOf = (result: Parameters<typeof only<{ readonly id: string }>>[0][number]): string =>
  only([result], 'a creation').id;
