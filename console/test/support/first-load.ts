import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const dist = join(import.meta.dirname, '../../dist');

/** A file of the built console, by its name in the folder of assets. */
export const asset = (name: string): Buffer => readFileSync(join(dist, 'assets', name));

export const page = (): string => readFileSync(join(dist, 'index.html'), 'utf8');

/** The scripts that a page needs before it shows: those that it names, and those that they import by themselves. */
export function firstScripts(): ReadonlySet<string> {
  const scripts = new Set<string>();
  const visit = (text: string, pattern: RegExp): void => {
    for (const [, name = ''] of text.matchAll(pattern)) {
      if (scripts.has(name)) continue;
      scripts.add(name);
      visit(String(asset(name)), /(?:^|[;}\s])(?:import|export)[^()'"]*["']\.\/([\w.-]+\.js)["']/g);
    }
  };
  visit(page(), /\/assets\/([\w.-]+\.js)/g);
  return scripts;
}

/** The other files that the page names: styles and the icon. */
export const firstFiles = (): readonly string[] =>
  [...page().matchAll(/\/assets\/([\w.-]+)/g)].flatMap(([, name = '']) => (name.endsWith('.js') ? [] : [name]));
