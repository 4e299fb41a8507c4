import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { PlacedRegion } from '../../src/core/documents/target.ts';
import type { Failure, Result } from '../../src/core/failure.ts';
import { type Knowledge, type Settled, withoutStore } from '../../src/core/knowledge.ts';
import type { Observation, Observed } from '../../src/core/observed.ts';
import type { CloudId, Kind } from '../../src/core/resource.ts';
import { visibilityMs } from '../../src/engine/absence.ts';
import { observe } from '../../src/engine/observe.ts';
import { ListingFailed, type Session } from '../../src/ports/provider.ts';
import { at, observed, attributes as of } from '../support/actions.ts';
import { type Script, scriptedSession, unlimited } from '../support/scripted-session.ts';
import { type VirtualClock, virtualClock } from '../support/virtual-clock.ts';

const subnet = observed('subnet', 'sub-1', of.subnet());
const failure = (kind: Exclude<Failure['kind'], 'throttled'> | 'throttled', code: string): Failure => ({
  kind,
  code,
  message: `${code}!`,
});
const refused = (kind: Failure['kind'], code: string) => new ListingFailed(code, `${code}!`, failure(kind, code));
const ok = <T>(value: T): Result<T> => ({ ok: true, value });

/** Settled so long before the look; `seen`: an observation has shown it since. */
function knowing(...ids: readonly (readonly [CloudId, Kind, number, 'seen'?])[]): (now: number) => Knowledge {
  const settled = (now: number): [CloudId, Settled][] =>
    ids.map(([id, kind, ageMs, seen]) => [
      id,
      {
        address: at(kind, id),
        kind,
        lastWriteAt: now - ageMs,
        ...(seen === undefined ? {} : { seenAt: now - ageMs }),
        terms: { deletionPolicy: 'delete', protect: false, storeOnly: false },
      },
    ]);
  return (now) => ({ ...withoutStore('acme'), store: 's1', settled: new Map(settled(now)) });
}

interface Around {
  readonly oneByName?: readonly Kind[];
  readonly clock?: VirtualClock;
  readonly regions?: readonly PlacedRegion[];
  readonly freshFilters?: boolean;
  readonly images?: readonly string[];
}

async function look(
  script: Script,
  knowledge: (now: number) => Knowledge = knowing(),
  { oneByName = [], clock = virtualClock(), regions, freshFilters = false, images }: Around = {},
): Promise<Observation> {
  const site = {
    session: scriptedSession(script),
    account: 'acme',
    ...(regions && { regions }),
    freshFilters,
    ...(images && { images }),
    batches: {},
    holds: { fixedMarks: [], oneByName },
    secret: async () => ({}),
  };
  const ports = { limiter: unlimited, clock, random: () => 0.5 };
  return clock.run(() => observe(site, knowledge(clock.now()), ports, { signal: new AbortController().signal }));
}

/** Fails as told for the first listings of subnets, then lists one. */
function listing(...errors: readonly Error[]): Script & { readonly asked: () => number } {
  let asked = 0;
  return {
    asked: () => asked,
    list: async (kind) => {
      if (kind !== 'subnet') return [];
      const error = errors[asked++];
      if (error) throw error;
      return [subnet];
    },
  };
}

const gapsOf = ({ gaps }: Observation): readonly string[] => gaps.map(({ kind, code }) => `${kind}: ${code}`);
const idsOf = ({ resources }: Observation): readonly CloudId[] => resources.map(({ id }) => id);

describe('observe', () => {
  it('credentials of another account are not used: every kind is a gap', async () => {
    const script = { ...listing(), account: ok('somebody') };
    const seen = await look(script);
    assert.equal(script.asked(), 0);
    assert.deepEqual(new Set(seen.gaps.map(({ code }) => code)), new Set(['wrong-account']));
    assert.equal(seen.gaps.length, 5);
  });

  it('unidentified credentials are not used either', async () => {
    const seen = await look({ account: { ok: false, failure: failure('terminal', 'ExpiredToken') } });
    assert.deepEqual(new Set(seen.gaps.map(({ code }) => code)), new Set(['ExpiredToken']));
  });

  const troubles = [
    {
      name: 'a throttled listing is asked again',
      errors: [refused('throttled', 'Slow'), refused('throttled', 'Slow')],
      gaps: [],
      asked: 3,
    },
    { name: 'a server error too', errors: [refused('retryable', 'Busy')], gaps: [], asked: 2 },
    { name: 'no answer to a reading may be asked again', errors: [refused('ambiguous', 'Reset')], gaps: [], asked: 2 },
    {
      name: 'a failure that a person must mend is a gap at once',
      errors: [refused('terminal', 'Denied')],
      gaps: ['subnet: Denied'],
      asked: 1,
    },
    {
      name: 'a short listing is a gap',
      errors: [new ListingFailed('Short', 'not the whole')],
      gaps: ['subnet: Short'],
      asked: 1,
    },
    {
      name: 'patience ends after six',
      errors: Array.from({ length: 9 }, () => refused('retryable', 'Busy')),
      gaps: ['subnet: Busy'],
      asked: 6,
    },
  ];
  for (const { name, errors, gaps, asked } of troubles) {
    it(name, async () => {
      const script = listing(...errors);
      const seen = await look(script);
      assert.deepEqual(gapsOf(seen), gaps);
      assert.equal(script.asked(), asked);
      assert.deepEqual(idsOf(seen), gaps.length === 0 ? ['sub-1'] : []);
    });
  }

  it('a fault of a provider is no gap', async () => {
    await assert.rejects(
      look({ list: async () => Promise.reject(new TypeError('undefined is not a function')) }),
      TypeError,
    );
  });
});

const reading = (answers: Readonly<Record<CloudId, Result<Observed | undefined>>>) => {
  const asked: string[] = [];
  const script: Script = {
    read: async (kind, ids) => {
      asked.push(`${kind} ${ids.join(' ')}`);
      return ids.map((id) => answers[id] ?? ok(undefined));
    },
  };
  return { asked, script };
};

/** Answers one after another, each with when it was asked for. */
const answering = (clock: VirtualClock, ...answers: readonly Result<Observed | undefined>[]) => {
  const askedAt: number[] = [];
  const script: Script = {
    read: async (_, ids) => {
      askedAt.push(clock.now());
      return ids.map(() => answers[askedAt.length - 1] ?? ok(undefined));
    },
  };
  return { askedAt, script };
};

describe('observe, a known resource that a listing missed', () => {
  const old = visibilityMs;
  const recent = visibilityMs - 1;

  it('was written just now: pending, and nobody is asked', async () => {
    const { asked, script } = reading({});
    const seen = await look(script, knowing(['sub-1', 'subnet', recent]));
    assert.deepEqual([seen.pending, asked], [['sub-1'], []]);
  });

  it('is asked for by id, all of a kind together; gone is proven, found counts', async () => {
    const { asked, script } = reading({ 'sub-1': ok(subnet) });
    const seen = await look(
      script,
      knowing(['sub-1', 'subnet', old], ['sub-2', 'subnet', old], ['net-1', 'network', old]),
    );
    assert.deepEqual(asked, ['subnet sub-1 sub-2', 'network net-1']);
    assert.deepEqual([idsOf(seen), seen.pending, seen.gaps], [['sub-1'], [], []]);
  });

  it('was seen standing since: gone is proven by two reads, 10 s apart', async () => {
    const clock = virtualClock();
    const { askedAt, script } = answering(clock);
    const seen = await look(script, knowing(['sub-1', 'subnet', recent, 'seen']), { clock });
    const [first = 0, second = 0, ...more] = askedAt;
    assert.deepEqual([seen.pending, idsOf(seen), seen.gaps, more], [[], [], [], []]);
    assert.ok(second - first >= 10_000, `${second - first} ms apart`);
  });

  it('was seen standing since, and one of the reads finds it: that counts', async () => {
    for (const answers of [[ok(subnet)], [ok(undefined), ok(subnet)]]) {
      const clock = virtualClock();
      const { askedAt, script } = answering(clock, ...answers);
      const seen = await look(script, knowing(['sub-1', 'subnet', recent, 'seen']), { clock });
      assert.deepEqual([idsOf(seen), seen.pending, askedAt.length], [['sub-1'], [], answers.length]);
    }
  });

  it('was seen standing since, and a read fails: a gap of the kind', async () => {
    const no: Result<never> = { ok: false, failure: failure('terminal', 'Denied') };
    for (const answers of [[no], [ok(undefined), no]]) {
      const clock = virtualClock();
      const { script } = answering(clock, ...answers);
      const seen = await look(script, knowing(['sub-1', 'subnet', recent, 'seen']), { clock });
      assert.deepEqual(gapsOf(seen), ['subnet: Denied']);
    }
  });

  it('could stand twice: it keeps its window, but where the cloud keeps its name unique', async () => {
    const twins = knowing(['net-1', 'network', recent, 'seen'], ['ins-1', 'instance', recent, 'seen']);
    const { asked, script } = reading({});
    assert.deepEqual([(await look(script, twins)).pending, asked], [['net-1', 'ins-1'], []]);
    const unique = await look(script, twins, { oneByName: ['network', 'instance'] });
    assert.deepEqual([unique.pending, asked.length], [[], 4]);
  });

  it('something listed stands in it: it is pending, whatever the reads say; a machine that is gone stands in nothing', async () => {
    const machine = observed('instance', 'ins-1', {
      ...of.instance(),
      placement: { subnet: 'sub-1', publicIp: false },
      groups: ['grp-1'],
    });
    const missed = knowing(['sub-1', 'subnet', old], ['grp-1', 'group', recent, 'seen'], ['grp-2', 'group', old]);
    const rule = {
      ...observed('firewall-rule', 'rul-1', { ...of.rule('web', { peers: ['group:grp-2'] }), group: 'grp-1' }),
      signs: { container: 'grp-1' },
    };
    const shows = (...seen: readonly Observed[]): Script => ({
      ...reading({}).script,
      list: async (kind) => seen.filter((one) => one.kind === kind),
    });
    assert.deepEqual((await look(shows(machine), missed)).pending, ['sub-1', 'grp-1']);
    assert.deepEqual((await look(shows(rule), missed)).pending, ['grp-1']);
    assert.deepEqual((await look(shows({ ...machine, condition: { state: 'gone' } }), missed)).pending, []);
  });

  it('any other answer is a gap of the kind', async () => {
    const { script } = reading({ 'sub-1': { ok: false, failure: failure('terminal', 'Denied') } });
    const seen = await look(script, knowing(['sub-1', 'subnet', old], ['net-1', 'network', old]));
    assert.deepEqual(gapsOf(seen), ['subnet: Denied']);
  });

  it('of a kind that was not listed nothing is missing', async () => {
    const { asked, script } = reading({});
    const failing = { ...script, list: listing(refused('terminal', 'Denied')).list };
    const seen = await look({ ...script, list: failing.list ?? (async () => []) }, knowing(['sub-9', 'subnet', old]));
    assert.deepEqual([gapsOf(seen), asked], [['subnet: Denied'], []]);
  });
});

describe('observe, its calls', () => {
  it('a write over them is refused', async () => {
    const write = { action: 'CreateSubnet', mutating: true, costs: [] };
    const script: Script = { list: async (_, call) => call.admit(write).then(() => []) };
    await assert.rejects(look(script), /CreateSubnet writes/);
  });

  it('an abort ends the observation with its cause', async () => {
    const clock = virtualClock();
    const stop = new AbortController();
    const script: Script = { list: async () => Promise.reject(refused('retryable', 'Busy')) };
    const site = {
      session: scriptedSession(script),
      account: 'acme',
      batches: {},
      holds: { fixedMarks: [], oneByName: [] },
      secret: async () => ({}),
    };
    const ports = { limiter: unlimited, clock, random: () => 0.99 };
    await clock.run(async () => {
      const seen = observe(site, withoutStore('acme'), ports, { signal: stop.signal });
      void clock.sleep(100).then(() => stop.abort(new Error('shutdown')));
      await assert.rejects(seen, /stopped: by the caller/);
    });
  });
});

describe('regions of targets', () => {
  const regions = ['north', 'south'].map((region, i) => ({
    region,
    at: { file: 'targets.yaml', line: 7 + 10 * i, column: 11 },
  }));
  const noRegion = (region: string): Failure => ({
    kind: 'terminal',
    code: 'none',
    message: `no region ${region}`,
    region,
  });
  const among =
    (...there: readonly string[]): Session['checkRegions'] =>
    async (asked) =>
      ok(asked.filter((region) => !there.includes(region)).map(noRegion));

  it('none is there: every kind is a gap, which names the place of each in the specs', async () => {
    const script = { ...listing(), checkRegions: among() };
    const seen = await look(script, knowing(), { regions });
    assert.equal(script.asked(), 0, 'nothing is listed');
    assert.deepEqual([seen.gaps.length, seen.resources, seen.unknownRegions], [5, [], undefined]);
    const reason = 'at targets.yaml:7:11: no region north at targets.yaml:17:11: no region south';
    for (const gap of seen.gaps) assert.deepEqual([gap.code, gap.reason], ['unknown-region', reason]);
  });

  it('one of two is there: all is listed, and the other is named', async () => {
    const script = { ...listing(), checkRegions: among('south') };
    const seen = await look(script, knowing(), { regions });
    assert.deepEqual([idsOf(seen), seen.gaps], [['sub-1'], []]);
    assert.deepEqual(seen.unknownRegions, [{ region: 'north', reason: 'at targets.yaml:7:11: no region north' }]);
  });

  it('two targets of one region: it is asked for once, and both places are named', async () => {
    const asked: unknown[] = [];
    const checkRegions: Session['checkRegions'] = async (names, call) => {
      asked.push(names);
      return among()?.(names, call) ?? ok([]);
    };
    const twice = regions.map(({ at }) => ({ region: 'north', at }));
    const { gaps } = await look({ checkRegions }, knowing(), { regions: twice });
    assert.deepEqual(asked, [['north']]);
    assert.equal(gaps[0]?.reason, 'at targets.yaml:7:11, targets.yaml:17:11: no region north');
  });

  it('all are there: nothing is reported', async () => {
    const seen = await look({ ...listing(), checkRegions: among('north', 'south') }, knowing(), { regions });
    assert.deepEqual([idsOf(seen), seen.gaps, 'unknownRegions' in seen], [['sub-1'], [], false]);
  });

  it('the question is denied: none is ruled out', async () => {
    const checkRegions: Session['checkRegions'] = async () => ({ ok: false, failure: failure('terminal', 'Denied') });
    const seen = await look({ ...listing(), checkRegions }, knowing(), { regions });
    assert.deepEqual([idsOf(seen), seen.gaps, 'unknownRegions' in seen], [['sub-1'], [], false]);
  });

  it('the question is throttled: it is asked again', async () => {
    let asked = 0;
    const checkRegions: Session['checkRegions'] = async (names, call) => {
      asked += 1;
      return asked === 1 ? { ok: false, failure: failure('throttled', 'Slow') } : (among()?.(names, call) ?? ok([]));
    };
    assert.equal((await look({ checkRegions }, knowing(), { regions })).gaps.length, 5);
    assert.equal(asked, 2);
  });

  it('an identity question without an answer there names the place too', async () => {
    const { gaps } = await look({ account: { ok: false, failure: noRegion('south') } }, knowing(), { regions });
    assert.deepEqual([gaps[0]?.code, gaps[0]?.reason], ['none', 'at targets.yaml:17:11: no region south']);
  });
});

describe('the filters besides the rules', () => {
  const minute = 60_000;
  const machine = observed('instance', 'i-1', {
    ...of.instance(),
    placement: { subnet: 'sub-1', publicIp: false },
  });
  const dead: Observed = { ...machine, condition: { state: 'gone' } };
  const empty = observed('subnet', 'sub-2', of.subnet());
  const filtersOf = (...subnets: readonly string[]) =>
    subnets.map((one) => ({ subnet: one, filters: [`list of ${one}`], unlisted: [] }));

  interface Seen {
    readonly resources?: readonly Observed[];
    /** The age of the known ones, and their subnets. */
    readonly known?: readonly [ageMs: number, ...subnets: readonly string[]];
    readonly fresh?: boolean;
    /** A known subnet whose listing failed. */
    readonly unlisted?: string;
  }

  async function seen({ resources = [subnet, empty, machine], known, fresh = false, unlisted }: Seen) {
    const asked: string[][] = [];
    const script: Script = {
      list: async (kind) => resources.filter((one) => one.kind === kind),
      outerFilters: async (subnets) => {
        asked.push(subnets.map(({ id }) => id));
        return filtersOf(...subnets.map(({ id }) => id));
      },
    };
    const knowledge = (now: number): Knowledge => {
      if (known === undefined) return withoutStore('acme');
      const [ageMs, ...subnets] = known;
      const told = filtersOf(...subnets).map((one) =>
        one.subnet === unlisted ? { ...one, filters: [], unlisted: ['denied'] } : one,
      );
      return { ...withoutStore('acme'), outerFilters: { at: now - ageMs, subnets: told } };
    };
    const { outerFilters, at: began } = await look(script, knowledge, { freshFilters: fresh });
    return {
      asked,
      age: outerFilters && began - outerFilters.at,
      told: outerFilters?.subnets.map((one) => one.subnet),
    };
  }

  const rows: readonly (readonly [name: string, given: Seen, asked: readonly string[][], age: number | undefined])[] = [
    ['are listed once, of the subnets with a machine', {}, [['sub-1']], 0],
    ['are not listed where no machine stands', { resources: [subnet, dead] }, [], undefined],
    ['of nine minutes ago serve', { known: [9 * minute, 'sub-1', 'sub-9'] }, [], 9 * minute],
    ['of ten minutes ago do not', { known: [10 * minute, 'sub-1'] }, [['sub-1']], 0],
    ['of the future do not', { known: [-1, 'sub-1'] }, [['sub-1']], 0],
    ['do not serve a subnet that got its first machine since', { known: [minute, 'sub-2'] }, [['sub-1']], 0],
    ['are listed again after a failed listing', { known: [minute, 'sub-1'], unlisted: 'sub-1' }, [['sub-1']], 0],
    [
      'serve where only the listing of another subnet failed',
      { known: [minute, 'sub-1', 'sub-9'], unlisted: 'sub-9' },
      [],
      minute,
    ],
    ['are listed anew for whoever asks for it', { known: [minute, 'sub-1'], fresh: true }, [['sub-1']], 0],
  ];
  for (const [name, given, asked, age] of rows)
    it(name, async () => {
      const got = await seen(given);
      assert.deepEqual([got.asked, got.age], [asked, age]);
      assert.equal(got.told?.includes('sub-1'), age === undefined ? undefined : true);
    });

  it('are absent on a cloud that has none', async () => {
    const seen = await look({ list: async (kind) => [subnet, machine].filter((one) => one.kind === kind) });
    assert.equal('outerFilters' in seen, false);
  });
});

describe('the facts of images', () => {
  const minute = 60_000;
  const runs = (image: string): Observed => {
    const attributes = of.instance();
    return observed('instance', 'i-1', { ...attributes, machine: { ...attributes.machine, image } });
  };
  const factOf = (image: string) => ({ image, owner: 'debian', verified: true, deprecated: false });

  interface Seen {
    readonly images?: readonly string[];
    readonly resources?: readonly Observed[];
    /** The age of the known ones, and their images. */
    readonly known?: readonly [ageMs: number, ...images: readonly string[]];
  }

  async function seen({ images, resources = [], known }: Seen) {
    const asked: (readonly string[])[] = [];
    const script: Script = {
      list: async (kind) => resources.filter((one) => one.kind === kind),
      imageFacts: async (these) => {
        asked.push(these);
        const isThere = (image: string): boolean => image !== 'gone';
        return {
          read: these.filter(isThere).map(factOf),
          unread: these.filter((image) => !isThere(image)).map((image) => ({ image, reason: 'no such image' })),
        };
      },
    };
    const knowledge = (now: number): Knowledge => {
      const former = { at: now - (known?.[0] ?? 0), read: (known?.slice(1) ?? []).map(String).map(factOf), unread: [] };
      return { ...withoutStore('acme'), ...(known === undefined ? {} : { images: former }) };
    };
    const { images: facts, at } = await look(script, knowledge, images === undefined ? {} : { images });
    return [asked, facts && at - facts.at, facts?.read.map(({ image }) => image), facts?.unread];
  }

  const rows: readonly (readonly [name: string, given: Seen, want: unknown])[] = [
    ['are not read where no policy asks', { resources: [runs('a')] }, [[], undefined, undefined, undefined]],
    [
      'are read once, of stated images and of those that machines run from',
      { images: ['a', 'b'], resources: [runs('c')] },
      [[['a', 'b', 'c']], 0, ['a', 'b', 'c'], []],
    ],
    ['are not read without an image', { images: [] }, [[], 0, [], []]],
    ['of 59 minutes ago serve', { images: ['a'], known: [59 * minute, 'a', 'b'] }, [[], 59 * minute, ['a'], []]],
    ['of an hour ago do not', { images: ['a'], known: [60 * minute, 'a'] }, [[['a']], 0, ['a'], []]],
    ['of the future do not', { images: ['a'], known: [-1, 'a'] }, [[['a']], 0, ['a'], []]],
    ['of a new image are read alone', { images: ['a', 'b'], known: [minute, 'a'] }, [[['b']], minute, ['a', 'b'], []]],
    [
      'that nobody knows are asked for again',
      { images: ['a', 'gone'], known: [minute, 'a'] },
      [[['gone']], minute, ['a'], [{ image: 'gone', reason: 'no such image' }]],
    ],
  ];
  for (const [name, given, want] of rows) it(name, async () => assert.deepEqual(await seen(given), want));

  it('are read of what a former generation launched from', async () => {
    const attributes = of.instance();
    const applied = new Map([
      [
        'm',
        {
          generation: 1,
          documents: [],
          attributes: { ...attributes, machine: { ...attributes.machine, image: 'old' } },
        },
      ],
    ]);
    const asked: (readonly string[])[] = [];
    const imageFacts: Session['imageFacts'] = async (these) => {
      asked.push(these);
      return { read: these.map(factOf), unread: [] };
    };
    await look({ imageFacts }, () => ({ ...withoutStore('acme'), applied }), { images: ['new'] });
    assert.deepEqual(asked, [['new', 'old']]);
  });
});

describe('operations of an earlier process', () => {
  const lookWith = async (operations: readonly { readonly id: string; readonly state: string }[]) => {
    const clock = virtualClock();
    const order: string[] = [];
    const kept = new Map(operations.map(({ id, state }) => [id, state]));
    const session = scriptedSession({
      list: async (kind) => {
        order.push(`list ${kind}`);
        return [];
      },
      resume: async (found, call) => {
        for (const { id, state } of found) {
          order.push(`resume ${id} ${state}`);
          await call.operations?.drop(id);
        }
      },
    });
    const site = {
      session,
      account: 'acme',
      batches: {},
      holds: { fixedMarks: [], oneByName: [] },
      secret: async () => ({}),
    };
    const operationsHere = {
      list: async () => [...kept].map(([id, state]) => ({ id, state })),
      keep: async (id: string, state: string) => void kept.set(id, state),
      drop: async (id: string) => void kept.delete(id),
    };
    const ports = { limiter: unlimited, clock, random: () => 0.5, begunOperations: operationsHere };
    await clock.run(() => observe(site, withoutStore('acme'), ports, { signal: new AbortController().signal }));
    return { order, left: kept.size };
  };

  it('is awaited before the first listing, and may be dropped', async () => {
    const { order, left } = await lookWith([{ id: 'op', state: 's' }]);
    assert.deepEqual([order[0], order.length, left], ['resume op s', 6, 0]);
  });
  it('where there is nothing the session is not asked', async () =>
    assert.equal(
      (await lookWith([])).order.some((step) => step.startsWith('resume')),
      false,
    ));
});
