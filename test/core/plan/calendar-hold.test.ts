import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Action } from '../../../src/core/action.ts';
import type { ChangeCalendar } from '../../../src/core/change-windows.ts';
import type { PauseDraft } from '../../../src/core/pause.ts';
import { type CalendarNow, calendarHold, pauseHold } from '../../../src/core/plan/holds.ts';
import type { Allowed, Wanted } from '../../../src/core/plan/plan-input.ts';
import { at, attributes, create, desired, observed, remove, update } from '../../support/actions.ts';

const now = Date.parse('2026-11-27T10:00Z');
const monday = { name: 'mondays', days: ['mon'], from: '09:00', to: '16:00', timeZone: 'Europe/Berlin' } as const;
const sale = { name: 'sale', from: '2026-11-26T00:00', to: '2026-12-01T00:00', timeZone: 'UTC', reason: 'the sale' };
const scopes = { prod: 'memory/acme/here', old: 'memory/acme/here', lab: 'memory/acme/there' };
const calendar = (parts: Partial<ChangeCalendar>): ChangeCalendar => ({ windows: [], freezes: [], scopes, ...parts });

const wanted = (documents: Readonly<Record<string, Partial<Allowed>>> = {}): Wanted => ({
  desired: [],
  documents: new Map(
    Object.entries(documents).map(([address, one]) => [
      address,
      { mode: 'enforce', protect: false, targets: ['prod'], ...one },
    ]),
  ),
  additive: new Set(),
  mode: 'enforce',
  targets: ['prod'],
});

const drift = (action: Action): Action => ({ ...action, cause: 'drift' });
const open = attributes.rule('core.web', { peers: ['0.0.0.0/0'] });
const narrow = attributes.rule('core.web', { peers: ['10.0.0.0/8'] });
const changed = [{ field: 'match', from: 1, to: 2 }];
const closing = update(desired('firewall-rule', 'r', narrow), observed('firewall-rule', 'sgr-1', open), changed);
const opening = update(desired('firewall-rule', 'r', open), observed('firewall-rule', 'sgr-1', narrow), changed);
const network = create(desired('network', 'core', attributes.network()));
const rogue = remove('r', observed('firewall-rule', 'sgr-1', open));
const forgotten: Action = {
  verb: 'forget',
  kind: 'network',
  address: at('network', 'x'),
  documents: [],
  cause: 'drift',
  id: 'vpc-9',
  because: 'gone',
};

const codeOf = (
  action: Action,
  parts: Partial<ChangeCalendar>,
  {
    of = wanted(),
    owners = {},
    ...more
  }: Partial<CalendarNow> & { readonly of?: Wanted; readonly owners?: Record<string, string> } = {},
) => calendarHold({ calendar: calendar(parts), now, ...more }, of, owners)(action)?.code;

describe('outside a window, and within a freeze', () => {
  const rows: readonly (readonly [name: string, action: Action, held: boolean])[] = [
    ['a rollout is held', network, true],
    ['a rollout that only narrows traffic is held', closing, true],
    ['an allowing rule goes', drift(rogue), false],
    ['drift that only narrows traffic is healed', drift(closing), false],
    ['drift that widens traffic is held', drift(opening), true],
    ['drift of another kind is held', drift(network), true],
    ['what is gone is forgotten', forgotten, false],
  ];
  for (const [name, action, held] of rows)
    it(name, () => {
      assert.equal(codeOf(action, { windows: [monday] }), held ? 'window' : undefined);
      assert.equal(codeOf(action, { freezes: [sale] }), held ? 'freeze' : undefined);
    });
});

describe('a pause that lets narrowing go on', () => {
  const incident = { of: { by: 'estate' }, reason: 'x', person: 'ada', until: now, incident: 'outage' } as const;
  const rows: readonly (readonly [name: string, action: Action, what: PauseDraft['what'], held: boolean])[] = [
    ['a rollout that narrows', closing, 'all', true],
    ['a rollout that narrows, while healing is held', closing, 'healing', false],
    ['drift that narrows', drift(closing), 'all', false],
    ['drift that narrows, while healing is held', drift(closing), 'healing', false],
    ['drift that widens', drift(opening), 'all', true],
    ['drift of another kind', drift(network), 'healing', true],
    ['drift of another kind, while rollouts are held', drift(network), 'rollout', false],
  ];
  for (const [name, action, what, held] of rows)
    it(`${held ? 'holds' : 'passes'} ${name}`, () => {
      const draft = { ...incident, what };
      const codes = [{ ...draft, letsNarrow: true }, draft].map((pause) => pauseHold([pause], wanted())(action)?.code);
      const without = what === 'all' || what === (action.cause === 'drift' ? 'healing' : 'rollout');
      assert.deepEqual(codes, [held ? 'paused' : undefined, without ? 'paused' : undefined]);
    });

  it('names its incident', () =>
    assert.match(
      pauseHold([{ ...incident, what: 'all' }], wanted())(network)?.why ?? '',
      /^paused for the estate in incident outage by ada until /,
    ));
});

describe('a calendar covers', () => {
  const core = at('network', 'core');
  it('the documents of its owners, and their removed ones', () => {
    const freezes = [{ ...sale, owners: ['team-net'] }];
    const removed = remove('gone', observed('network', 'vpc-1', attributes.network()));
    assert.equal(codeOf(network, { freezes }, { of: wanted({ [core]: { owner: 'team-net' } }) }), 'freeze');
    assert.equal(codeOf(network, { freezes }, { of: wanted({ [core]: { owner: 'team-web' } }) }), undefined);
    assert.equal(codeOf(removed, { freezes }, { owners: { [at('network', 'gone')]: 'team-net' } }), 'freeze');
    assert.equal(codeOf(removed, { freezes }), undefined);
  });

  it('by the former generation also the owner and the target of then', () => {
    const owned = { of: wanted({ [core]: { owner: 'team-web' } }), owners: { [core]: 'team-net' } };
    const freezes = [{ ...sale, owners: ['team-net'] }];
    assert.equal(codeOf(network, { freezes }, owned), undefined);
    assert.equal(codeOf(network, { freezes }, { ...owned, isFormer: true }), 'freeze');
    const renamed = [{ ...sale, target: 'old' }];
    assert.equal(codeOf(network, { freezes: renamed }), undefined);
    assert.equal(codeOf(network, { freezes: renamed }, { isFormer: true }), 'freeze');
    assert.equal(codeOf(network, { freezes: [{ ...sale, target: 'lab' }] }, { isFormer: true }), undefined);
  });
});

describe('the reason', () => {
  const why = (parts: Partial<ChangeCalendar>, isFormer = false) =>
    calendarHold({ calendar: calendar(parts), now, isFormer }, wanted())(network)?.why;
  it('names the window and the time at which it opens', () => {
    assert.equal(
      why({ windows: [{ ...monday, target: 'prod' }] }),
      'outside the change window mondays of target prod (mon 09:00 to 16:00 Europe/Berlin). It opens Mon 2026-11-30 09:00 Europe/Berlin. In an emergency: setpoint apply --break-glass --reason "…"',
    );
  });
  it('names the freeze, why, and its end', () => {
    assert.equal(
      why({ freezes: [sale] }),
      'frozen by sale: the sale. It opens Tue 2026-12-01 00:00 UTC. In an emergency: setpoint apply --break-glass --reason "…"',
    );
  });
  it('says where the generation before had it so', () => {
    assert.equal(
      why({ freezes: [sale] }, true),
      'frozen by sale: the sale. It opens Tue 2026-12-01 00:00 UTC. That is so in the generation before; that it is looser counts from the next one on. In an emergency: setpoint apply --break-glass --reason "…"',
    );
  });
  it('says where no time is known', () => {
    const never = { ...monday, name: 'own', days: ['tue'], target: 'prod' } as const;
    assert.match(
      why({ windows: [monday, never] }) ?? '',
      /It never opens: no other window is open then\. In an emergency/,
    );
  });
});
