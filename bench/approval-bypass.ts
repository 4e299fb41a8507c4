import { dueEnder } from '../src/fleet/accept.ts';
import { where } from '../test/support/fleet-world.ts';
import {
  applied,
  approve,
  asking,
  type BypassWorld,
  ground,
  machines,
  settle,
  tierOf,
  web,
} from './approval-bypass/world.ts';
import type { Figure } from './figure.ts';

/** One way around an approval. `from`: the change that waits; an attempt succeeds if it happens. */
export interface Attempt {
  readonly name: string;
  readonly from: Stage;
  try(world: BypassWorld): Promise<unknown>;
}

/** The change that waits, and a check that the cloud carried it out. */
interface Stage {
  begin(): Promise<BypassWorld>;
  happened(world: BypassWorld): boolean;
}

const ann = 'ann@acme.example';
const bob = 'bob@acme.example';
const cid = 'cid@acme.example';

const relabelled = (policies: readonly object[], estate: object = {}): Stage => ({
  begin: async () => {
    const world = await applied([...ground, ...policies, web('a')]);
    await world.bring([...ground, ...policies, web('b')], [ann, 'co@acme.example', 'dan+ci@acme.example'], estate);
    await world.reconcile();
    return world;
  },
  happened: (world) => tierOf(world) !== 'a',
});

/** A change of ann's in mode `plan`: somebody else must approve it. */
const one = relabelled([], { mode: 'plan' });
/** The same, and two must. */
const two = relabelled([asking()]);
/** One with the role `dba` must. */
const role = relabelled([asking({ people: 1, role: 'dba' })]);

/** A machine that was protected once, and whose protection was lifted and applied. */
const lifted: Stage = {
  begin: async () => {
    const world = await applied([...ground, web('a', { protect: true })]);
    await world.bring([...ground, web('a')]);
    await settle(world, 1);
    return world;
  },
  happened: (world) => !machines(world).some(({ id }) => id === first(world)),
};

const protectedStill: Stage = { ...lifted, begin: () => applied([...ground, web('a', { protect: true })]) };

const ids = new WeakMap<BypassWorld, string | undefined>();
function first(world: BypassWorld): string | undefined {
  if (!ids.has(world)) ids.set(world, machines(world)[0]?.id);
  return ids.get(world);
}

const byOne = (name: string, credential: (world: BypassWorld) => Promise<string> | string): Attempt => ({
  name,
  from: one,
  try: async (world) => approve(world, await credential(world)),
});

const authors: readonly Attempt[] = [
  byOne('the author, by a token', (world) => world.token(ann)),
  byOne('the author, by the issuer', (world) => world.login({ sub: 'ann', email: ann, email_verified: true })),
  byOne('the author, in capitals', (world) => world.token('ANN@ACME.EXAMPLE')),
  byOne('the author, in wide letters', (world) => world.token('\uff41nn@acme.example')),
  byOne('the author, with blanks', (world) => world.token(' ann@acme.example ')),
  byOne('the author, with a tag', (world) => world.token('ann+ci@acme.example')),
  byOne('the author, with a tag in wide letters', (world) => world.token('ann\uff0bci@acme.example')),
  byOne('a co-author', (world) => world.token('co@acme.example')),
  byOne('a co-author who committed with a tag', (world) => world.token('dan@acme.example')),
  byOne('a co-author with two tags', (world) => world.token('dan+ops@acme.example')),
  byOne('a token of nobody', (world) => world.token(undefined)),
  byOne('an address that is not verified', (world) => world.login({ sub: 'bob', email: bob, email_verified: false })),
  byOne('no address', (world) => world.login({ sub: 'mute' })),
  byOne('the bot of proposals', (world) => world.token('setpoint[bot]@setpoint.dev')),
  byOne('a viewer', (world) => world.token(bob, { role: 'viewer' })),
  byOne('a planner', (world) => world.token(bob, { role: 'planner' })),
  byOne('an operator', (world) => world.token(bob, { role: 'operator' })),
  byOne('an approver of another estate', (world) => world.token(bob, { estates: ['other'] })),
  byOne('an approver of another target', (world) => world.token(bob, { targets: ['there'] })),
  byOne('an approver of another owner', (world) => world.token(bob, { owners: ['team-x'] })),
  byOne('an expired login', (world) => world.login({ email: bob, email_verified: true, exp: 1 })),
  byOne('a token with a wrong secret', async (world) => `${(await world.token(bob)).slice(0, -4)}AAAA`),
];

const by = (
  name: string,
  credentials: (world: BypassWorld) => Promise<readonly string[]>,
  from: Stage = two,
): Attempt => ({
  name,
  from,
  try: async (world) => {
    for (const credential of await credentials(world)) await approve(world, credential);
  },
});

const people: readonly Attempt[] = [
  by('one of two', async (world) => [await world.token(bob)]),
  by('one person twice', async (world) => [await world.token(bob), await world.token(bob)]),
  by('a token and a login of one person', async (world) => [
    await world.token(bob),
    world.login({ email: bob, email_verified: true }),
  ]),
  by('one person in other letters', async (world) => [await world.token(bob), await world.token('BoB@acme.example')]),
  by('one person in wide letters', async (world) => [
    await world.token(bob),
    await world.token('\uff42ob@acme.example'),
  ]),
  by('one person with a tag', async (world) => [await world.token(bob), await world.token('bob+ops@acme.example')]),
  by('a person and a machine', async (world) => [await world.token(bob), await world.token(undefined)]),
  by('a person and one without an address', async (world) => [await world.token(bob), world.login({ sub: 'mute' })]),
  by('a person and a forge address', async (world) => [
    await world.token(bob),
    await world.token('7+bob@users.noreply.github.com'),
  ]),
  by('a person and the author', async (world) => [await world.token(bob), await world.token(ann)]),
  by('two without the role', async (world) => [await world.token(bob), await world.token(cid)], role),
  by(
    'the role in another estate',
    async (world) => [await world.token(bob), await world.token(cid, { approvalRoles: ['dba'], estates: ['other'] })],
    role,
  ),
  by(
    'the role without the right to approve',
    async (world) => [await world.token(cid, { role: 'planner', approvalRoles: ['dba'] })],
    role,
  ),
  by('the role in other letters', async (world) => [await world.token(cid, { approvalRoles: ['DBA'] })], role),
];

async function onStore(world: BypassWorld, person: string): Promise<void> {
  const { text } = await world.ask(await world.token(bob), 'GET /v1/approvals');
  const { digest, required, generation } = JSON.parse(text);
  const actions = required.map((asked: { readonly digest: string }) => asked.digest);
  const until = world.clock.now() + 86_400_000;
  const word = { ...where, generation, digest, actions, destroys: 0, until, by: { person, reason: 'mine' } };
  await world.store.fleet.approvals.give(word);
}

const bodied = (name: string, more: object, headers: Readonly<Record<string, string>> = {}): Attempt => ({
  name,
  from: two,
  try: async (world) => {
    await approve(world, await world.token(bob));
    return approve(world, await world.token(bob), more, headers);
  },
});

const withdrawing = { person: bob, reason: 'no' };

const words: readonly Attempt[] = [
  bodied('the name of another person', { person: cid }),
  bodied('names of others', { identities: [cid], names: [cid] }),
  bodied('an approver of its own', { approver: { names: [cid] } }),
  bodied('the actor', { actor: cid, by: { person: cid } }),
  bodied('actions of its own', { actions: ['*'] }),
  bodied('a requirement of its own', { required: [], people: 1 }),
  bodied('roles of its own', { roles: { dba: ['*'] }, approvalRoles: ['dba'] }),
  bodied('an earlier generation', { generation: 1 }),
  bodied('a target that is not there', { targets: ['there'] }),
  bodied('another estate', { estate: 'other' }),
  bodied('a header that names another', {}, { 'x-forwarded-user': cid, 'x-setpoint-person': cid }),
  bodied('an end in the past', { expiresInSeconds: -1 }),
  bodied('break-glass', { breakGlass: true }),
  bodied('a body of 2 MiB', { reason: 'x'.repeat(2 * 1024 * 1024) }),
  bodied('a prototype', JSON.parse('{"__proto__": {"approver": {"names": ["cid@acme.example"]}}}')),
  bodied('the beginning of a digest', { digest: 'abcdef012345' }),
  bodied('another digest', { digest: 'a'.repeat(64) }),
  {
    name: 'a repeated request with one key',
    from: two,
    try: async (world) => {
      const token = await world.token(bob);
      for (let n = 0; n < 3; n++) await approve(world, token, {}, { 'idempotency-key': 'k1' });
    },
  },
  {
    name: 'the key of another person',
    from: two,
    try: async (world) => {
      await approve(world, await world.token(bob), {}, { 'idempotency-key': 'k2' });
      await approve(world, await world.token('bob@ACME.example'), {}, { 'idempotency-key': 'k2' });
    },
  },
  {
    name: 'two parallel requests of one person',
    from: two,
    try: async (world) => {
      const token = await world.token(bob);
      await Promise.all([approve(world, token), approve(world, token)]);
    },
  },
  {
    name: 'two names on the store',
    from: two,
    try: async (world) => [await onStore(world, bob), await onStore(world, cid)],
  },
  {
    name: 'one person, and one on the store',
    from: two,
    try: async (world) => [await onStore(world, cid), await approve(world, await world.token(bob))],
  },
  {
    name: 'an expired approval',
    from: two,
    try: async (world) => {
      await approve(world, await world.token(bob), { expiresInSeconds: 60 });
      await world.clock.advance(61_000);
      await approve(world, await world.token(cid));
    },
  },
  {
    name: 'a withdrawn approval',
    from: two,
    try: async (world) => {
      for (const person of [bob, cid]) await approve(world, await world.token(person));
      const [given] = await world.store.fleet.approvals.active(where);
      await world.store.fleet.approvals.withdraw('acme', given?.seq ?? 0, withdrawing);
    },
  },
  {
    name: 'approvals of a former generation, and a policy that no longer asks',
    from: two,
    try: async (world) => {
      for (const person of [bob, cid]) await approve(world, await world.token(person));
      await world.bring([...ground, web('b')]);
    },
  },
  {
    name: 'a changed machine between two approvals',
    from: lifted,
    try: async (world) => {
      const id = first(world) ?? '';
      await world.bring(ground);
      await world.reconcile();
      await approve(world, await world.token(bob));
      const until = world.clock.now() + 86_400_000;
      // why: healed, it would be the machine that was approved
      await world.store.fleet.pauses.begin('acme', { what: 'healing', of: { by: 'estate' }, ...withdrawing, until });
      world.cloud.outside.do('TagObjects', { ids: [id], tags: { tier: 'z' } });
      await world.reconcile();
      await approve(world, await world.token(cid));
    },
  },
];

/** Brings these in, one after another, with nobody's approval but `approvers`'. */
const ending = (
  name: string,
  from: Stage,
  generations: readonly (readonly object[])[],
  approvers: readonly string[] = [],
): Attempt => ({
  name,
  from,
  try: async (world) => {
    first(world);
    for (const documents of generations) {
      await world.bring(documents);
      await settle(world, 1);
    }
    for (const person of approvers) await approve(world, await world.token(person));
  },
});

const api = (spec: Readonly<Record<string, unknown>> = {}) => web('a', spec, { name: 'api', was: ['web'] });

const protection: readonly Attempt[] = [
  ending('its document removed, by one person', lifted, [ground], [bob]),
  ending('protection lifted and its document removed in one commit', protectedStill, [ground]),
  ending('protection lifted and its document removed in two commits', protectedStill, [[...ground, web('a')], ground]),
  ending('another image', lifted, [[...ground, web('a', { image: 'img-2' })]], [bob]),
  ending('no replica', lifted, [[...ground, web('a', { replicas: 0 })]], [bob]),
  ending('a new name, and then removed', lifted, [[...ground, api()], ground], [bob]),
  ending('a new name and another image', lifted, [[...ground, api({ image: 'img-2' })]], [bob]),
  ending('retained, and then deleted', lifted, [
    [...ground, web('a', { deletionPolicy: 'retain' })],
    [...ground, web('a')],
    ground,
  ]),
];

/** Brings the documents in, lets their lifetimes end, and has one person approve the rest. */
const outliving = (name: string, from: Stage, documents: readonly object[], approver: string): Attempt => ({
  name,
  from,
  try: async (world) => {
    first(world);
    await world.bring(documents, [ann], from === planned ? { mode: 'plan' } : {});
    await settle(world, 1);
    await world.clock.advance(2 * 3_600_000);
    await dueEnder(world.context)();
    await settle(world, 1);
    await approve(world, await world.token(approver));
  },
});

/** In mode `plan`: a person must approve each deletion. */
const planned: Stage = {
  begin: async () => {
    const world = await applied([...ground, web('a')]);
    await world.bring([...ground, web('a')], [ann], { mode: 'plan' });
    await settle(world, 1);
    return world;
  },
  happened: lifted.happened,
};

const stops: Stage = {
  ...lifted,
  happened: (world) => !JSON.stringify(machines(world)[0]?.record ?? '').includes('"sent":"run"'),
};

const lifetimes: readonly Attempt[] = [
  outliving('a lifetime that ends, and one person', lifted, [...ground, web('a', { ttl: '1h' })], bob),
  outliving('a lifetime, approved by its author', planned, [...ground, web('a', { ttl: '1h' })], ann),
  ending('a stop before a deletion that nobody approved', stops, [
    [...ground, web('a', { beforeDelete: 'stop' })],
    ground,
  ]),
];

const spent: readonly Attempt[] = [
  {
    name: 'a replay of two spent approvals',
    from: { ...two, happened: (world) => tierOf(world) !== 'a' },
    try: async (world) => {
      for (const person of [bob, cid]) await approve(world, await world.token(person));
      await settle(world, 1);
      const id = machines(world)[0]?.id ?? '';
      world.cloud.outside.do('TagObjects', { ids: [id], tags: { tier: 'a' } });
    },
  },
];

export const attempts: readonly Attempt[] = [...authors, ...people, ...words, ...protection, ...lifetimes, ...spent];

/**
 * Ways around an approval, each in a world of its own: a worker over a cloud, and the API with genuine tokens. Judged by what stands
 * on the cloud hours later. The value is how many succeed; asked: none.
 */
export async function approvalBypass(chosen: readonly Attempt[] = attempts): Promise<readonly Figure[]> {
  const succeeded: string[] = [];
  for (const { name, from, try: attempt } of chosen) {
    const world = await from.begin();
    await attempt(world);
    await settle(world);
    if (from.happened(world)) succeeded.push(name);
  }
  for (const name of succeeded) process.stderr.write(`approval-bypass: ${name}\n`);
  return [{ name: 'approval-bypass', value: succeeded.length, unit: `succeeded, of ${chosen.length} attempts` }];
}
