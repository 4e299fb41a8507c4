import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Grant } from '../../../../src/core/access/grant.ts';
import { eventLimits } from '../../../../src/http/limits.ts';
import type { EventDraft } from '../../../../src/ports/events.ts';
import { type Watchers, watchers } from './support/watchers.ts';

const soon = 2 * eventLimits.times.poll;

const seen: readonly [grant: Partial<Grant>, told: readonly string[]][] = [
  [{}, ['acme all', 'acme prod', 'acme dev', 'acme web', 'acme nobody', 'other all', 'other prod web']],
  [{ estates: ['acme'] }, ['acme all', 'acme prod', 'acme dev', 'acme web', 'acme nobody']],
  [{ targets: ['prod'] }, ['acme prod', 'other prod web']],
  [{ owners: ['team-web'] }, ['acme web', 'other prod web']],
  [{ owners: [''] }, ['acme nobody']],
  [{ estates: ['acme'], targets: ['prod'] }, ['acme prod']],
  [{ targets: ['prod'], owners: ['team-web'] }, ['other prod web']],
  [{ estates: [] }, []],
];

const drafts: Readonly<Record<string, Partial<EventDraft>>> = {
  'acme all': {},
  'acme prod': { targets: ['prod', 'stage'] },
  'acme dev': { targets: ['dev'] },
  'acme web': { owner: 'team-web' },
  'acme nobody': { owner: '' },
  'other all': { estate: 'other' },
  'other prod web': { estate: 'other', targets: ['prod'], owner: 'team-web' },
};

const tellAll = (tell: Watchers['tell']) =>
  tell(...Object.entries(drafts).map(([n, draft]) => ({ ...draft, about: { n } })));

for (const [grant, told] of seen)
  test(`what a caller is told of lies within ${JSON.stringify(grant)}, live and when it comes back`, async () => {
    const { clock, tell, watch } = watchers();
    const [first] = tell({});
    const live = await watch({ grants: [{ role: 'viewer', ...grant }] });
    tellAll(tell);
    await clock.advance(soon);
    const back = await watch({ grants: [{ role: 'viewer', ...grant }], from: first?.place });
    await clock.advance(soon);
    assert.deepEqual([live.numbers(), back.numbers()], [told, told]);
  });

test('what a caller is told of is what it asked for', async () => {
  const { clock, tell, watch } = watchers();
  const words = await watch({ only: { types: ['word', 'pass'] } });
  const others = await watch({ only: { estate: 'other', types: ['resource'] } });
  tellAll(tell);
  const [word, reconcile] = tell({ type: 'word' }, { type: 'pass' }, { type: 'generation', estate: 'other' });
  await clock.advance(soon);
  assert.deepEqual(words.numbers(), [word?.about['n'], reconcile?.about['n']]);
  assert.deepEqual(others.numbers(), ['other all', 'other prod web']);
});

const reconcile = {
  type: 'pass',
  targets: ['prod', 'lab'],
  about: { n: 1, reason: 'ann paused lab', scope: 'aws/1/eu' },
} as const;

const parts: readonly [grant: Partial<Grant>, targets: readonly string[], about: object][] = [
  [{ estates: ['acme'] }, ['prod', 'lab'], reconcile.about],
  [{ targets: ['prod', 'lab'] }, ['prod', 'lab'], { n: 1, scope: 'aws/1/eu' }],
  [{ targets: ['prod'] }, ['prod'], { n: 1, scope: 'aws/1/eu' }],
];

for (const [grant, targets, about] of parts)
  test(`a reconcile of several targets, as it is told within ${JSON.stringify(grant)}`, async () => {
    const { clock, tell, watch } = watchers();
    const [first] = tell({});
    const live = await watch({ grants: [{ role: 'viewer', ...grant }] });
    tell(reconcile);
    await clock.advance(soon);
    const back = await watch({ grants: [{ role: 'viewer', ...grant }], from: first?.place });
    await clock.advance(soon);
    for (const { events } of [live, back]) {
      const told = JSON.parse(events.at(-1)?.data ?? '');
      assert.deepEqual([told.targets, told.about], [targets, about]);
    }
  });

test('what is no reconcile keeps its reason for whoever sees it', async () => {
  const { clock, tell, watch } = watchers();
  const live = await watch({ grants: [{ role: 'viewer', targets: ['prod'] }] });
  tell({ targets: ['prod'], about: { reason: 'the port differs' } });
  await clock.advance(soon);
  assert.equal(JSON.parse(live.events[0]?.data ?? '').about.reason, 'the port differs');
});
