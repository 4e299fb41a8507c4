import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { callerOf } from '../http/api/support/api-world.ts';
import { answersWorld } from './support/answers-world.ts';
import { bringIn, inForce, labelled } from './support/change.ts';
import { post, specsOf } from './support/posted.ts';

/** S13: what somebody who need not be trusted reaches for. The text of a target and an estate, written otherwise. */
const reaches: readonly (readonly [what: string, change: (text: string) => string])[] = [
  ['another mode', (text) => text.replace('"mode":"plan"', '"mode":"enforce"')],
  ['no mode', (text) => text.replace('"mode":"plan"', '')],
  ['other limits', (text) => text.replace('"mode":"plan"', '"mode":"plan","limits":{"deletes":500}')],
  ['signers of its own', (text) => text.replace('"mode":"plan"', '"mode":"plan","signatures":{"required":false}')],
  [
    'sources of its own',
    (text) =>
      text.replace(
        '"mode":"plan"',
        '"mode":"plan","sources":[{"name":"web","repo":"https://git.example/w.git","owners":["web"]}]',
      ),
  ],
  [
    'hooks of its own',
    (text) =>
      text.replace(
        '"mode":"plan"',
        '"mode":"plan","hooks":[{"name":"h","from":"github","secret":{"env":"SETPOINT_SECRET_H"}}]',
      ),
  ],
  ['another estate', (text) => text.replace('"name":"acme"}', '"name":"other"}')],
  ['no estate', (text) => text.replace(/^.*"kind":"Estate".*\n---\n/, '')],
  ['another account', (text) => text.replace('"account":"acme"', '"account":"bank"')],
  ['another region', (text) => text.replace('"region":"north"', '"region":"south"')],
  ['an endpoint', (text) => text.replace('"account":"acme"', '"account":"acme","endpoint":"http://127.0.0.1:1"')],
  [
    'credentials',
    (text) => text.replace('"account":"acme"', '"account":"acme","credentials":{"env":"SETPOINT_SECRET_X"}'),
  ],
  [
    'credentials of a file',
    (text) => text.replace('"account":"acme"', '"account":"acme","credentials":{"file":"/etc/passwd"}'),
  ],
  ['another mode of a target', (text) => text.replace('"account":"acme"', '"account":"acme","mode":"enforce"')],
  [
    'a target more',
    (text) =>
      `${text}\n---\n${JSON.stringify({ apiVersion: 'setpoint.dev/v1', kind: 'Target', metadata: { name: 'mine' }, spec: { provider: 'memory', account: 'mine', region: 'north' } })}`,
  ],
  ['no target', (text) => text.replace(/^.*"kind":"Target".*\n---\n/m, '')],
  [
    'a secret in a machine',
    (text) =>
      text.replace('"size":"small"', '"size":"small","access":{"user":"ops","password":{"env":"SETPOINT_SECRET_DB"}}'),
  ],
  [
    'a secret of a target’s own',
    (text) =>
      text.replace(
        '"size":"small"',
        '"size":"small","on":{"here":{"access":{"user":"ops","password":{"env":"SETPOINT_SECRET_DB"}}}}',
      ),
  ],
  ['anchors', (text) => `${text}\n---\na: &a [x]\nb: *a`],
  [
    'a policy',
    (text) =>
      `${text}\n---\n${JSON.stringify({ apiVersion: 'setpoint.dev/v1', kind: 'Policy', metadata: { name: 'p' }, spec: {} })}`,
  ],
];

describe('a plan of posted specs that reach for more than those in force', () => {
  for (const [what, change] of reaches)
    it(`is refused: ${what}`, async () => {
      const world = await inForce();
      const [file] = specsOf(labelled('b'));
      const text = change(file?.text ?? '');
      assert.notEqual(text, file?.text);
      const { status, body } = await post(world, [{ path: 'all.yaml', text }]);
      assert.equal(status, 422, JSON.stringify(body));
      assert.deepEqual(await world.store.proposals.list({ estate: 'acme', limit: 10 }), []);
    });

  for (const path of [
    '../a.yaml',
    '/a.yaml',
    'a/../../b.yaml',
    'a//b.yaml',
    './a.yaml',
    '.git/a.yaml',
    'a\\b.yaml',
    '-a.yaml',
    'a\u202eb.yaml',
  ])
    it(`is refused, or passed over: a file at ${JSON.stringify(path)}`, async () => {
      const world = await inForce();
      const [file] = specsOf(labelled('b'));
      const { status, text } = await post(world, [file ?? {}, { path, text: 'kind: [' }]);
      // An empty name is no path at all.
      const expected = path.split('/').includes('') ? 400 : 422;
      assert.ok(status === expected || (status === 201 && path.startsWith('.git')), text);
    });

  it('is refused where a path stands twice, or more is sent than may be', async () => {
    const world = await inForce();
    const [file = {}] = specsOf(labelled('b'));
    assert.equal((await post(world, [file, file])).status, 400);
    const many = Array.from({ length: 2001 }, (_, i) => ({ path: `${i}.yaml`, text: '' }));
    assert.equal((await post(world, many)).status, 400);
    assert.equal((await post(world, [{ path: 'a.yaml', text: ' '.repeat(9_000_000) }])).status, 413);
  });

  it('is not asked for by whoever may plan a part of the estate only', async () => {
    const part = callerOf('planner', { grants: [{ role: 'planner', estates: ['acme'], owners: ['team-web'] }] });
    const world = answersWorld({ part });
    await bringIn(world, labelled('a'), undefined);
    const { status, text } = await post(world, specsOf(labelled('b')), {}, 'part');
    assert.deepEqual([status, text.includes('"permission":"plan"')], [403, true]);
  });
});
