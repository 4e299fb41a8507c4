import assert from 'node:assert/strict';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';

const root = join(import.meta.dirname, '..');
const read = (page: string): string => readFileSync(join(root, page), 'utf8');

/** Pages that name files of the project. */
const naming = ['CONTRIBUTING.md', 'docs/architecture.md'];
const pages = ['README.md', 'CHANGELOG.md', 'CONTRIBUTING.md', ...globSync('docs/**/*.md', { cwd: root })];

const clouds = ['aws', 'gcp', 'azure'];

/** Paths in a page. `<cloud>` stands for each cloud, any other `<name>` for at least one file. */
const pathsIn = (page: string): readonly string[] =>
  (
    read(page).match(/\b(?:src|providers|sandbox|test|bench|chaos|scripts|specs|docs)\/[\w<>./-]*\.[a-z]\w*/g) ?? []
  ).flatMap((path) => (path.includes('<cloud>') ? clouds.map((cloud) => path.replaceAll('<cloud>', cloud)) : [path]));

const isThere = (path: string): boolean => globSync(path.replaceAll(/<\w+>/g, '*'), { cwd: root }).length > 0;

describe('the documentation', () => {
  for (const page of naming) {
    it(`names files that exist: ${page}`, () => {
      const missing = pathsIn(page).filter((path) => !isThere(path));
      assert.deepEqual([...new Set(missing)], []);
    });
  }

  for (const page of pages) {
    it(`links to pages and headings that exist: ${page}`, () => {
      const links = [
        ...read(page)
          .replaceAll(/`[^`\n]*`/g, '')
          .matchAll(/\]\((?!https?:)([^)#\s]*)(?:#([^)\s]*))?\)/g),
      ];
      const broken = links.filter(([, file = '', heading]) => {
        const target = file === '' ? page : join(dirname(page), file);
        if (!existsSync(join(root, target))) return true;
        return heading !== undefined && !headingsOf(target).includes(heading);
      });
      assert.deepEqual(
        broken.map(([link]) => link),
        [],
      );
    });
  }
});

/** The anchors that GitHub gives to the headings of a page. */
const headingsOf = (page: string): readonly string[] =>
  [...read(page).matchAll(/^#+ (.*)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\w\s-]/g, '')
      .trim()
      .replaceAll(/\s/g, '-'),
  );
