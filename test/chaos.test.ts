import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { called, censusOf, differences, wantedCensus } from '../chaos/census.ts';
import { fewer, tryCells } from '../chaos/kill.ts';
import { catchOf, cells, equivalents, failpoints, manners, nameOf, verbs } from '../chaos/matrix.ts';
import { trialClouds } from '../chaos/specs.ts';
import { startSandbox } from '../sandbox/index.ts';

const pairs = (one: readonly string[], other: readonly string[]): readonly string[] =>
  one.flatMap((a) => other.map((b) => `${a} ${b}`));

describe('the matrix', () => {
  it('has a cell for every failpoint, verb, cloud and manner, each with a moment of its own', () => {
    assert.equal(new Set(cells.map(nameOf)).size, 9 * 5 * 3 * 3);
    for (const cell of cells) assert.equal(catchOf(cell).at, cell.failpoint);
  });

  it('is met in part in every run: every failpoint on every cloud, every manner at every verb', () => {
    assert.ok(fewer.length >= 72, `${fewer.length} cells`);
    const met = (name: (cell: (typeof cells)[number]) => string): ReadonlySet<string> => new Set(fewer.map(name));
    const [failpointsMet, mannersMet] = [
      met(({ failpoint, cloud }) => `${failpoint} ${cloud}`),
      met(({ manner, verb }) => `${manner} ${verb}`),
    ];
    assert.deepEqual(
      pairs(failpoints, trialClouds).filter((pair) => !failpointsMet.has(pair)),
      [],
    );
    assert.deepEqual(
      pairs(manners, verbs).filter((pair) => !mannersMet.has(pair)),
      [],
    );
  });

  it('says of each moment that a cloud does not have what is met in its place', () => {
    for (const { cells: wanted } of equivalents)
      assert.ok(
        cells.some((cell) =>
          Object.entries(wanted).every(([side, value]) =>
            Object.entries(cell).some(([k, v]) => k === side && v === value),
          ),
        ),
      );
  });
});

describe('the judge', () => {
  it('finds one too many and one too few, by name', () => {
    assert.deepEqual(differences(['a', 'a', 'b'], ['a', 'b', 'c']), ['+ a', '- c']);
    assert.deepEqual(differences(['b', 'a'], ['a', 'b']), []);
  });

  it('knows a successor and its parts by their suffix, and takes nothing else for one', () => {
    const names = [
      'web-0-k7x2q',
      'web-0-k7x2q-nic',
      'web-10-k7x2q-disk',
      'web-0',
      'web-0-nic',
      'web-0-disk',
      'core-k7x2q',
    ];
    assert.deepEqual(names.map(called), [
      'web-0-*',
      'web-0-*-nic',
      'web-10-*-disk',
      'web-0',
      'web-0-nic',
      'web-0-disk',
      'core-k7x2q',
    ]);
    for (const cloud of trialClouds) {
      const surged = wantedCensus(cloud, 'surged').filter((line) => line.includes('web-0-*'));
      assert.equal(surged.length > 0, cloud !== 'aws', surged.join('\n'));
    }
  });

  it('counts whatever stands in an account, whoever made it', async () => {
    const sandbox = await startSandbox();
    try {
      assert.deepEqual(censusOf('aws', sandbox.control), []);
      const vpcs = [{ key: 'stray', cidr: '10.9.0.0/16', gateway: {} }];
      sandbox.control.ec2.load({ regions: [{ account: '111122223333', region: 'eu-west-1', vpcs }] });
      const strays = differences(censusOf('aws', sandbox.control), wantedCensus('aws', 'before'));
      assert.ok(strays.includes('+ vpc nobody 10.9.0.0/16 env=undefined'), strays.join('\n'));
      assert.ok(strays.includes('+ gateway of nobody'));
    } finally {
      await sandbox.close();
    }
  });
});

/** One of each cloud; `npm run chaos -- ci` tries the others. */
const some = [
  'aws create before-sending kill',
  'gcp update before-answer cut',
  'azure delete after-intent kill',
  'gcp surge after-settlement kill',
];

describe('a process that is killed, stopped or cut off', () => {
  it('leaves nothing double, lost or open that the next one does not mend', { timeout: 900_000 }, async () => {
    const chosen = cells.filter((cell) => some.includes(nameOf(cell)));
    assert.equal(chosen.length, some.length);
    const tried = await tryCells(chosen, 3);
    assert.deepEqual(
      tried.map(({ cell, violations }) => [nameOf(cell), violations]).toSorted(),
      some.toSorted().map((name) => [name, []]),
    );
  });
});
