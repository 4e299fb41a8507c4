import assert from 'node:assert/strict';
import { describe, it, test } from 'node:test';
import { dialect as aws } from '../../../providers/aws/dialect.ts';
import { dialect as azure } from '../../../providers/azure/dialect.ts';
import { dialect as gcp } from '../../../providers/gcp/dialect.ts';
import { dialect as memory } from '../../../providers/memory/dialect.ts';
import type { Action } from '../../../src/core/action.ts';
import type { Desired } from '../../../src/core/desired.ts';
import { categoryOf, effectOf, kindNames, rulesOf } from '../../../src/core/kinds/kinds.ts';
import { withoutStore } from '../../../src/core/knowledge.ts';
import type { Observed } from '../../../src/core/observed.ts';
import { effectHere } from '../../../src/core/plan/destructive-drift.ts';
import { plan } from '../../../src/core/plan/plan.ts';
import type { PlanInput } from '../../../src/core/plan/plan-input.ts';
import type { Attributes, Kind } from '../../../src/core/resource.ts';
import { appliedAs, at, input, know, looked, ours, see, summary, want } from './fixture.ts';

type Whole<T> = T extends readonly unknown[] | string | number | boolean
  ? T
  : { readonly [K in keyof T]-?: Whole<Exclude<T[K], undefined>> };

/** Every field of every kind: a new one does not compile until it stands here, and then it is tried like the others. */
const whole: { readonly [K in Kind]: Whole<Attributes[K]> } = {
  network: {
    cidr: '10.0.0.0/16',
    internet: true,
    filter: true,
    settings: {
      secondaryCidrs: ['10.1.0.0/16'],
      ipv6Cidrs: ['2001:db8::/56'],
      routes: [{ destination: '10.9.0.0/16', nextHop: 'vpn' }],
      natGateways: ['nat-1'],
      peerings: [{ name: 'pcx-1', network: 'vpc-2' }],
    },
    labels: { tier: 'web' },
  },
  subnet: {
    network: 'net',
    cidr: '10.0.1.0/24',
    zone: 'a',
    internet: true,
    filter: true,
    settings: {
      secondaryCidrs: ['10.1.1.0/24'],
      ipv6Cidrs: ['2001:db8::/64'],
      secondaryRanges: [{ name: 'pods', cidr: '10.8.0.0/16' }],
      privateGoogleAccess: true,
      publicIpOnLaunch: true,
      routes: [{ destination: '10.9.0.0/16', nextHop: 'vpn' }],
      natGateway: 'nat',
    },
    labels: { tier: 'web' },
  },
  group: { network: 'net', defaultEgress: 'allow', description: 'site', labels: { tier: 'web' } },
  'firewall-rule': {
    network: 'net',
    group: 'sg',
    match: {
      direction: 'ingress',
      action: 'allow',
      protocol: 'tcp',
      ports: '443',
      peers: ['10.1.0.0/16'],
      targets: [],
    },
    description: 'site',
    order: { priority: 1000, disabled: false, log: false },
  },
  instance: {
    placement: { subnet: 'sub', zone: 'a', publicIp: false },
    groups: ['sg'],
    machine: { image: 'i', size: 's', identity: 'web', power: 'running' },
    disk: { size: 20, type: 'gp3', encrypted: true },
    boot: { userData: 'hash', access: 'hash' },
    settings: {
      keyPair: 'ops',
      spot: false,
      ipForwarding: false,
      metadataTokens: 'required',
      scopes: ['s'],
      privateIp: '10.0.0.5',
      staticPublicIp: '203.0.113.10',
      zone: '1',
      availabilitySet: 'set',
      bootDiagnostics: true,
      dataDisks: ['vol-2'],
      interfaces: ['eni-2'],
    },
    labels: { tier: 'web' },
  },
};

const leavesOf = (value: object, before = ''): readonly string[] =>
  Object.entries(value).flatMap(([key, of]: readonly [string, unknown]) =>
    typeof of === 'object' && of !== null && !Array.isArray(of)
      ? leavesOf(of, `${before}${key}.`)
      : [`${before}${key}`],
  );

/** The same with another value of one field. */
function withField<T extends object>(attributes: T, field: string, value: unknown): T {
  const [key = '', ...rest] = field.split('.');
  const inner: unknown = Reflect.get(attributes, key);
  const next =
    rest.length > 0 && typeof inner === 'object' && inner !== null ? withField(inner, rest.join('.'), value) : value;
  return { ...attributes, [key]: next };
}

const fieldValue = (attributes: object, field: string): unknown =>
  field
    .split('.')
    .reduce<unknown>((of, key) => (typeof of === 'object' && of ? Reflect.get(of, key) : undefined), attributes);

/** Values that a person may have set instead. */
function others(field: string, value: unknown): readonly unknown[] {
  if (field === 'machine.power') return ['stopped'];
  if (typeof value === 'number') return [value - 10, value + 20];
  if (typeof value === 'boolean') return [!value];
  if (field === 'match.action') return ['deny'];
  if (Array.isArray(value)) return [['other']];
  return ['other'];
}

interface Edit {
  readonly kind: Kind;
  readonly field: string;
  readonly observed: Observed;
  readonly desired: Desired;
}

const name: Readonly<Record<Kind, string>> = {
  network: 'core',
  subnet: 'core.app',
  group: 'core.web',
  'firewall-rule': 'core.web',
  instance: 'web-0',
};

/** Each field was changed on the cloud, and power both ways. `wish`: the value in the document. */
const editsOf = (condition: Observed['condition']): readonly Edit[] =>
  kindNames.flatMap((kind) =>
    leavesOf(whole[kind]).flatMap((field) => {
      const asked = fieldValue(whole[kind], field);
      const pairs = others(field, asked).map((seen) => ({ seen, wish: asked }));
      const both = field === 'machine.power' ? [...pairs, { seen: 'running', wish: 'stopped' }] : pairs;
      return both.map(({ seen, wish }): Edit => {
        // why: the sample of a kind has the attributes of that kind
        const attributes = withField(whole[kind], field, seen) as Attributes[typeof kind];
        const observed = { ...ours(kind, name[kind], 'id-1', attributes), condition };
        const wished = withField(whole[kind], field, wish) as Attributes[typeof kind]; // why: as above
        return { kind, field, observed, desired: want(kind, name[kind], wished, { mode: 'enforce' }) };
      });
    }),
  );

const clouds = { aws, gcp, azure, memory };
const ephemerals = [true, false, undefined];

/** Only resources without data: a rule of the firewall. */
function losses(
  { actions }: { readonly actions: readonly Action[] },
  ephemeral: boolean | undefined,
): readonly string[] {
  return actions
    .filter(
      (action) =>
        action.verb === 'replace' ||
        (action.verb === 'delete' && action.kind !== 'firewall-rule') ||
        (action.verb === 'update' &&
          action.effect === 'stops' &&
          ephemeral !== false &&
          action.observed.kind === 'instance'),
    )
    .map(({ verb, address }) => `${verb} ${address}`);
}

/** Ways in which nobody knows that a spec moved the field; each must lose nothing. */
const unmoved: Readonly<Record<string, (edit: Edit) => Partial<PlanInput>>> = {
  'applied as it is asked for': ({ observed, desired }) => ({ knowledge: appliedAs([observed], [desired]) }),
  'no store': () => ({ knowledge: withoutStore('acme') }),
  'nothing applied': ({ observed }) => ({ knowledge: know([observed]) }),
  'nobody watches': ({ observed, desired }) => ({
    knowledge: appliedAs([observed], [desired]),
    choices: { unattended: true },
  }),
};

describe('a difference that no spec moved', () => {
  for (const [cloud, dialect] of Object.entries(clouds))
    for (const [how, more] of Object.entries(unmoved))
      it(`loses no machine, disk or data on ${cloud}: ${how}`, () => {
        for (const ephemeral of ephemerals)
          for (const edit of editsOf({ state: 'ready', ...(ephemeral === undefined ? {} : { ephemeral }) })) {
            const got = plan({ ...input([edit.desired], looked([edit.observed]), more(edit)), dialect });
            assert.deepEqual(losses(got, ephemeral), [], `${edit.kind} ${edit.field}`);
          }
      });

  for (const [cloud, dialect] of Object.entries(clouds))
    it(`loses none on ${cloud} either where a spec moved something else of it, and that goes on`, () => {
      for (const edit of editsOf({ state: 'ready' })) {
        if (!('labels' in whole[edit.kind]) || edit.field.startsWith('labels')) continue;
        const before = want(edit.kind, name[edit.kind], withField(edit.desired.attributes, 'labels.tier', 'old'));
        const observed = { ...edit.observed, attributes: withField(edit.observed.attributes, 'labels.tier', 'old') };
        const knowledge = appliedAs([observed], [before]);
        const got = plan({ ...input([edit.desired], looked([observed]), { knowledge }), dialect });
        assert.deepEqual(losses(got, undefined), [], `${edit.kind} ${edit.field}`);
        const fields = got.actions.flatMap((action) => (action.verb === 'update' ? action.changes : []));
        assert.ok(
          fields.some(({ field }) => field === 'labels.tier'),
          `${edit.kind} ${edit.field}: its label goes on by itself`,
        );
      }
    });

  for (const [cloud, dialect] of Object.entries(clouds))
    it(`loses none on ${cloud} where a document adopts it`, () => {
      for (const { kind, field, desired, observed } of editsOf({ state: 'ready' })) {
        const terms = { ...desired.terms, claim: { adopt: 'id-1' } };
        const found = see(kind, 'id-1', observed.attributes);
        const got = plan({ ...input([{ ...desired, terms }], looked([found])), dialect });
        const [action] = got.actions;
        const effects =
          action?.verb === 'adopt' ? action.changes.map((change) => effectHere(kind, change, { dialect })) : [];
        assert.deepEqual(
          effects.filter((effect) => effect !== 'in-place'),
          [],
          `${kind} ${field}`,
        );
      }
    });

  it('of a machine that stands still, a stop empties nothing', () => {
    const still = withField(whole.instance, 'machine.power', 'stopped');
    const desired = want('instance', 'web-0', withField(still, 'machine.size', 'large'));
    const observed = ours('instance', 'web-0', 'i-1', still);
    const got = plan(input([desired], looked([observed]), { knowledge: appliedAs([observed], [desired]) }));
    assert.deepEqual(summary(got), ['update instance/web-0']);
  });
});

test('every field that a kind names is tried', () => {
  for (const kind of kindNames) {
    const leaves = leavesOf(whole[kind]);
    const untried = Object.keys(rulesOf(kind).effects).filter(
      (named) => named !== 'mark' && !leaves.some((leaf) => leaf === named || leaf.startsWith(`${named}.`)),
    );
    assert.deepEqual(untried, [], kind);
    const uncategorized = leaves.filter((field) => categoryOf(kind, field) === 'ours');
    assert.deepEqual(uncategorized, [], `${kind}: a field of no category is healed whatever its remediation`);
    const unnamed = leaves.filter((field) => effectOf(kind, { field, from: 1, to: 2 }) === 'blocked');
    const settings = (one: 'network' | 'subnet' | 'instance') => leavesOf(whole[one].settings, 'settings.');
    const meant = {
      network: ['cidr', ...settings('network')],
      subnet: ['network', 'cidr', 'zone', ...settings('subnet')],
      group: ['network', 'description'],
      instance: settings('instance'),
    };
    assert.deepEqual(
      unnamed,
      Reflect.get(meant, kind) ?? [],
      `${kind}: a field that no effect is named for is blocked`,
    );
  }
});

// why: a reserved address is a public one
const { staticPublicIp: _, ...settings } = whole.instance.settings;
const machine = { ...whole.instance, settings };
const moved = (was: Attributes['instance'], now: Attributes['instance'], stands = was) => {
  const observed = ours('instance', 'web-0', 'i-1', stands);
  const desired = want('instance', 'web-0', now);
  const applied = want('instance', 'web-0', was);
  return input([desired], looked([observed]), { knowledge: appliedAs([observed], [applied]) });
};

describe('a field that a spec moved', () => {
  it('goes on with its own effect', () => {
    const told = (field: string, value: unknown) => summary(plan(moved(machine, withField(machine, field, value))));
    assert.deepEqual(told('machine.image', 'new'), ['replace instance/web-0']);
    assert.deepEqual(told('disk.encrypted', false), ['replace instance/web-0']);
    assert.deepEqual(told('placement.publicIp', true), ['replace instance/web-0']);
    assert.deepEqual(told('boot.userData', 'new'), ['replace instance/web-0']);
    assert.deepEqual(told('machine.size', 'large'), ['update instance/web-0']);
    assert.deepEqual(told('disk.size', 40), ['update instance/web-0']);
  });

  it('is not taken for one that another spelling moved', () => {
    const spelled = (image: string) => withField(machine, 'machine.image', image);
    const family = 'projects/debian-cloud/global/images/family/debian-12';
    const given = moved(
      spelled(`https://www.googleapis.com/compute/v1/${family}`),
      spelled(family),
      spelled('projects/acme/global/images/mine'),
    );
    const address = 'gcp/acme/europe-west1-b/instance/web-0';
    const [desired] = given.wanted.desired;
    assert.ok(desired);
    const renamed = { ...desired, address };
    const { knowledge } = given;
    const applied = new Map([
      [address, { attributes: spelled(`https://www.googleapis.com/compute/v1/${family}`), generation: 1 }],
    ]);
    const settled = new Map([...knowledge.settled].map(([id, one]) => [id, { ...one, address }]));
    const got = plan({
      ...given,
      wanted: { ...given.wanted, desired: [renamed] },
      knowledge: { ...knowledge, applied, settled },
      dialect: gcp,
    });
    assert.deepEqual(
      got.findings.map((found) => 'code' in found && found.code),
      ['destructive-drift'],
    );
  });

  it('replaces the machine with all else that differs', () => {
    const stands = withField(machine, 'disk.encrypted', false);
    const [action] = plan(moved(machine, withField(machine, 'machine.image', 'new'), stands)).actions;
    assert.ok(action?.verb === 'replace');
    assert.deepEqual(action.changes.map(({ field }) => field).toSorted(), ['disk.encrypted', 'machine.image']);
  });
});

describe('a disk that is larger than asked for', () => {
  const stands = withField(machine, 'disk.size', 40);
  it('is no reason to replace, and said with what to write', () => {
    const unasked = plan(moved(machine, machine, stands));
    assert.deepEqual(summary(unasked), ['blocked instance/web-0: immutable']);
    assert.match(unasked.findings[0]?.why ?? '', /write `disk: \{ size: 40 \}` in specs\/a\.yaml:1/);
    const asked = plan(moved(stands, machine, stands));
    assert.deepEqual(summary(asked), ['blocked instance/web-0: immutable'], 'nor where the spec asks for less by now');
  });

  it('keeps nothing else of the machine from being healed', () => {
    const relabelled = withField(stands, 'labels.tier', 'by hand');
    assert.deepEqual(summary(plan(moved(machine, machine, relabelled))), [
      'update instance/web-0',
      'blocked instance/web-0: immutable',
    ]);
  });
});

describe('the withheld changes', () => {
  const stands = withField(withField(machine, 'disk.encrypted', false), 'labels.tier', 'by hand');
  const given = moved(machine, machine, stands);
  it('is one action, and its finding names both ways out', () => {
    const got = plan(given);
    assert.deepEqual(summary(got), ['update instance/web-0', 'withheld instance/web-0: destructive-drift']);
    const [found] = got.findings;
    assert.match(found?.why ?? '', /write `disk: \{ encrypted: false \}` in specs\/a\.yaml:1/);
    assert.match(found?.why ?? '', new RegExp(`setpoint approve --address ${at('instance', 'web-0')} --reason`));
  });

  it('passes once that very action is approved, and nothing else of it', () => {
    const seen: Action[] = [];
    plan({ ...given, choices: { approved: (action) => seen.push(action) === 0 } });
    const held = seen.find(({ verb }) => verb === 'replace');
    assert.ok(held);
    const got = plan({ ...given, choices: { approved: (action) => JSON.stringify(action) === JSON.stringify(held) } });
    assert.deepEqual(summary(got), ['replace instance/web-0']);
    const other = { approved: (action: Action) => action.verb === 'update' };
    assert.deepEqual(summary(plan({ ...given, choices: other })), summary(plan(given)));
  });

  it('stays so under every mode, and before a mode says anything', () => {
    for (const mode of ['plan', 'enforce', 'observe'] as const) {
      const [one] = given.wanted.desired;
      assert.ok(one);
      const desired = [{ ...one, terms: { ...one.terms, mode } }];
      const got = plan({ ...given, wanted: { ...given.wanted, desired }, choices: { unattended: true } });
      const held = got.findings.flatMap((found) =>
        found.type === 'withheld' && found.action === 'replace' ? found.code : [],
      );
      assert.deepEqual(held, ['destructive-drift'], mode);
    }
  });
});
