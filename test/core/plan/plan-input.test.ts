import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Mode } from '../../../src/core/desired.ts';
import type { Inherited } from '../../../src/core/guards.ts';
import { type Allowed, modesBefore } from '../../../src/core/plan/plan-input.ts';

const scope = 'memory/acme/here';
const at = (name: string): string => `${scope}/network/${name}`;
const [old, gone, fresh, strict, over] = [at('old'), at('gone'), at('fresh'), at('strict'), at('over')] as const;
const allowed = { mode: 'enforce', protect: false, targets: [] } as const;
const documents = new Map<string, Allowed>([
  [old, allowed],
  [fresh, { ...allowed, own: 'enforce' }],
  [strict, { ...allowed, own: 'observe' }],
]);

const inherits = (mode: Mode | null, estate?: Mode): Inherited => ({
  scopes: { [scope]: mode },
  ...(estate === undefined ? {} : { estate }),
});

const rows: readonly (readonly [name: string, inherited: Inherited | undefined, document: string, Mode | undefined])[] =
  [
    ['a document that was named is bound as it was', inherits('plan'), old, 'enforce'],
    ['a new one by what was said above it', inherits('plan'), fresh, 'plan'],
    ['a new one by its own word where that is stricter', inherits('plan'), strict, 'observe'],
    ['a new one by its own word where nothing was said', inherits(null), fresh, 'enforce'],
    ['one that has ended as it was', inherits('enforce'), over, 'observe'],
    ['one that is gone by what was said above it', inherits('observe'), gone, 'observe'],
    ['one that is gone by the default where nothing was said', inherits(null), gone, 'plan'],
    ['one in a scope that is new by the estate', inherits(null, 'plan'), 'memory/acme/there/network/core', 'plan'],
    [
      'one in a scope that is new by nothing where the estate said none',
      inherits('plan'),
      'memory/acme/here-too/x/y',
      undefined,
    ],
    ['none where an earlier version did not write it down', undefined, fresh, undefined],
  ];
for (const [name, inherited, document, want] of rows)
  test(`modes before: ${name}`, () => {
    const named = { modes: { [old]: 'enforce' }, ended: { [over]: 'observe' } } as const;
    const guards = { ...named, ...(inherited === undefined ? {} : { inherited }) };
    assert.equal(modesBefore(guards, [{ wanted: { documents } }])(document), want);
  });
