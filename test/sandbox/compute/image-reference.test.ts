import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { imageOf } from '../../../sandbox/compute/disk.ts';
import { Refused } from '../../../sandbox/protocol.ts';
import { machines, PROJECT } from './instance-bench.ts';

const DEBIAN = 'debian-12-bookworm-v20251209';

/** A reference, and the image behind it; undefined: refused. */
const rows: readonly (readonly [string, string | undefined])[] = [
  ['projects/debian-cloud/global/images/family/debian-12', DEBIAN],
  [`projects/debian-cloud/global/images/${DEBIAN}`, DEBIAN],
  [`https://www.googleapis.com/compute/v1/projects/debian-cloud/global/images/${DEBIAN}`, DEBIAN],
  ['https://compute.googleapis.com/compute/v1/projects/debian-cloud/global/images/family/debian-12', DEBIAN],
  ['http://127.0.0.1:5000/compute/v1/projects/debian-cloud/zones/-/imageFamilyViews/debian-12', DEBIAN],
  ['projects/debian-cloud/global/images/debian-12-bookworm-v20251014', 'debian-12-bookworm-v20251014'],
  ['global/images/family/gold', 'gold-v1'],
  ['global/images/gold-v1', 'gold-v1'],
  [`projects/${PROJECT}/global/images/gold-v1`, 'gold-v1'],
  ['global/images/debian-12', undefined],
  ['projects/debian-cloud/global/images/family/debian-7', undefined],
  ['projects/debian-cloud/global/images/debian-12', undefined],
  ['projects/debian-cloud/global/networks/debian-12-bookworm-v20251209', undefined],
  ['projects/someone/global/images/gold-v1', undefined],
  ['gold-v1', undefined],
];

describe('the image behind a reference', () => {
  for (const [reference, want] of rows) {
    it(`${reference}: ${want ?? 'refused'}`, async () => {
      await using made = await machines();
      const images = [{ name: 'gold-v1', family: 'gold' }];
      made.sandbox.control.compute.load({ projects: [{ project: PROJECT, images }] });
      const found = () => imageOf(made.sandbox.control.compute.project(PROJECT), reference, 'sourceImage').name;
      if (want === undefined) assert.throws(found, Refused);
      else assert.equal(found(), want);
    });
  }
});
