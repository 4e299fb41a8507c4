import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import type { Recorder } from '../../../scripts/demo/recorder.ts';
import { group, machineIn, network, rule } from '../../support/engine-world/documents.ts';
import { words } from './cloud-words.ts';
import { sandboxWorld } from './sandbox-world.ts';

const web = 'web-app@acme-prod.iam.gserviceaccount.com';
const machine = machineIn(words.gcp.machine);
const documents = [
  network(),
  rule('https'),
  rule('sql', { group: 'db', ports: [5432], peers: { groups: ['web'] } }),
  machine('web', { publicIp: true }),
  machine('db', { groups: ['db'] }),
  machine('lone', { groups: [] }),
];
const asAccount = (name: string, account: string): object => group(name, { names: { here: account } });
const accounts = [asAccount('web', web), asAccount('db', 'db-app@acme-prod.iam.gserviceaccount.com')];

/** On Google Cloud a group can be a service account, and its machines are those that run as it. */
export function serviceAccounts(record?: Recorder): void {
  describe('groups that are service accounts', { concurrency: 1 }, () => {
    test('their machines run as them, and are reached by their rules', async () => {
      await using world = await sandboxWorld('gcp', record);
      const first = await world.apply([...documents, ...accounts]);
      assert.equal(first.outcome, 'done', JSON.stringify(first.last?.plan.findings));
      assert.deepEqual(
        (await world.apply([...documents, ...accounts])).writes,
        [],
        'a second look finds nothing to do',
      );
      for (const [from, to, port, wanted] of [
        ['internet', 'web', 443, true],
        ['internet', 'web', 5432, false],
        ['web', 'db', 5432, true],
        ['lone', 'db', 5432, false],
        ['lone', 'web', 443, true],
      ] as const) {
        const { allowed, steps } = await world.reaches({ from, to, port, protocol: 'tcp' });
        assert.equal(allowed, wanted, `${from} > ${to} ${port}: ${JSON.stringify(steps)}`);
      }
    });

    for (const [name, before, after] of [
      ['a network tag becomes a service account', documents, [...documents, ...accounts]],
      ['a service account becomes a network tag', [...documents, ...accounts], documents],
    ] as const)
      test(`${name}: while they run, its machines are reached as before, and nobody else is`, async () => {
        await using world = await sandboxWorld('gcp', record);
        assert.equal((await world.apply(before)).outcome, 'done');
        const { settled } = await world.knowledge();
        const idOf = (machineName: string): string => {
          const [id] = [...settled].find(([, { address }]) => address.endsWith(`/${machineName}-0`)) ?? [];
          assert.ok(id);
          return words.gcp.end(id);
        };
        const ends = { web: idOf('web'), db: idOf('db'), lone: idOf('lone') };
        const { control } = world.sandbox;
        const wrong: string[] = [];
        const look = (): void => {
          for (const [from, to, port, wanted] of [
            ['internet', ends.web, 443, true],
            [ends.web, ends.db, 5432, true],
            [ends.lone, ends.db, 5432, false],
            [ends.web, ends.lone, 443, false],
          ] as const) {
            const { allowed, steps } = control.compute.packet('acme-prod', { from, to, port, protocol: 'tcp' });
            const isDown = steps.some((step) => / runs$/.test(step.gate) && !step.allowed);
            if (!isDown && allowed !== wanted) wrong.push(`${from} > ${to} ${port}: ${allowed}`);
          }
        };
        look();
        const stop = control.log.watch(look);
        const changed = await world.apply(after);
        stop();
        look();
        assert.equal(changed.outcome, 'done', JSON.stringify(changed.last?.plan.findings));
        assert.deepEqual(wrong, []);
        assert.deepEqual((await world.apply(after)).writes, []);
      });
  });
}
