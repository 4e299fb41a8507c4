import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';

/** A folder with these files (path → content; content starting with `#!` makes an executable), gone after the test. */
export function temporaryFolder(t: TestContext, files: Readonly<Record<string, string>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), 'setpoint-scripts-'));
  t.after(() => rmSync(folder, { recursive: true, force: true }));
  for (const [path, content] of Object.entries(files)) {
    const file = join(folder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, content, { mode: content.startsWith('#!') ? 0o755 : 0o644 });
  }
  return folder;
}
