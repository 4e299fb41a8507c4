import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isOverlayName, isRead, layerOf, treeOf } from '../../../src/core/documents/overlay.ts';

const reads: readonly (readonly [path: string, overlay: string | undefined, want: boolean])[] = [
  ['net.yaml', undefined, true],
  ['net.yaml', 'prod', true],
  ['overlays', undefined, false],
  ['overlays', 'prod', true],
  ['overlays/prod', 'prod', true],
  ['overlays/prod/net/a.yaml', 'prod', true],
  ['overlays/prod-2', 'prod', false],
  ['overlays/staging', 'prod', false],
  ['overlays/staging/a.yaml', 'prod', false],
  ['overlays/prod.yaml', 'prod', true],
  ['overlays/notes.md', 'prod', false],
  ['overlays-old/a.yaml', undefined, true],
  ['net/overlays/a.yaml', undefined, true],
  ['@web', 'prod', true],
  ['@web/overlays', undefined, false],
  ['@web/overlays/prod/a.yaml', 'prod', true],
  ['@web/overlays/staging', 'prod', false],
];

for (const [path, overlay, want] of reads)
  test(`${path} is ${want ? '' : 'not '}read with ${overlay ?? 'no overlay'}`, () =>
    assert.equal(isRead(path, overlay), want));

const layers: readonly (readonly [path: string, layer: string, tree: string])[] = [
  ['net.yaml', 'base', ''],
  ['overlays/prod/net.yaml', 'overlay prod', ''],
  ['overlays/prod.yaml', 'base', ''],
  ['net/overlays/prod/net.yaml', 'base', ''],
  ['@web/net.yaml', 'base', '@web/'],
  ['@web/overlays/prod/net.yaml', 'overlay prod', '@web/'],
];

for (const [path, layer, tree] of layers)
  test(`${path} is of ${layer}`, () => assert.deepEqual([layerOf(path), treeOf(path)], [layer, tree]));

for (const [name, want] of [
  ['prod', true],
  ['eu-1_b', true],
  ['', false],
  ['..', false],
  ['a/b', false],
  ['a@b', false],
  ['-x', false],
  ['x'.repeat(64), false],
] as const)
  test(`"${name}" is ${want ? 'a' : 'no'} name of an overlay`, () => assert.equal(isOverlayName(name), want));
