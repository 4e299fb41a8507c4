import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import renamed from './renamed.json' with { type: 'json' };

const root = join(import.meta.dirname, '../..');

/** Every file of these folders that a person wrote, as path and text. */
function filesOf(folders: readonly string[], ending: RegExp): readonly (readonly [string, string])[] {
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile() && ending.test(entry.name))
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [path.slice(root.length + 1), readFileSync(path, 'utf8')] as const),
  );
}

const sources = filesOf(['src', 'providers'], /\.ts$/);
const docs = [...filesOf(['docs'], /\.md$/), ['README.md', readFileSync(join(root, 'README.md'), 'utf8')] as const];
const current = docs.filter(([path]) => !path.startsWith('docs/adr/'));

/** Where `text` stands, as paths. */
const holding = (files: readonly (readonly [string, string])[], text: string): readonly string[] =>
  files.filter(([, content]) => content.includes(text)).map(([path]) => path);

describe('words that Setpoint renamed', () => {
  for (const [before, after] of Object.entries(renamed.logs)) {
    const quoted = (message: string): string => `'${message.replaceAll("'", "\\'")}'`;
    it(`log message: ${after}`, () => {
      assert.deepEqual(holding(sources, `(${quoted(before)}`), [], 'the old message is gone');
      const isSaid = [quoted(after), `"${after}"`].some((text) => holding(sources, text).length > 0);
      assert.ok(isSaid, 'the new message is logged');
    });
  }

  for (const [before, after] of Object.entries(renamed.metrics))
    it(`metric: ${after}`, () => {
      assert.deepEqual(holding([...sources, ...current], before), []);
      assert.deepEqual(holding(sources, after), ['src/telemetry/telemetry.ts']);
    });

  for (const [before, after] of Object.entries(renamed.cliOptions))
    it(`option of the command line: ${after}`, () => {
      assert.deepEqual(holding([...sources, ...current], before), []);
      assert.ok(holding(sources, `'${after}`).includes('src/cli/program.ts'));
    });

  for (const [before, after] of Object.entries(renamed.healthPort))
    it(`path of the health port: ${after}`, () => {
      assert.deepEqual(holding([...sources, ...current], `\`${before}\``), []);
      assert.notDeepEqual(holding(current, `\`${after}\``), []);
    });
});
