import type { Guards } from '../../src/source/git/guards.ts';

/** The check that refuses a class of rows: with it they are refused, without it they are not. */
export interface HostileClass {
  /** Codes of problems, one of which each row must have. */
  readonly codes: readonly string[];
  /** The reader with this one check off. */
  readonly without: (guards: Guards) => Guards;
}

type Rules = Guards['trees'];

const trees = (guards: Guards, change: (rules: Rules) => Partial<Rules>): Guards => ({
  ...guards,
  trees: { ...guards.trees, ...change(guards.trees) },
});

const rule =
  (name: string) =>
  (guards: Guards): Guards =>
    trees(guards, ({ entries }) => ({ entries: entries.filter((one) => one.name !== name) }));

const limits =
  (...names: readonly (keyof Rules['most'])[]) =>
  (guards: Guards): Guards =>
    trees(guards, ({ most }) => ({ most: { ...most, ...Object.fromEntries(names.map((name) => [name, 1e9])) } }));

/** Of trees. */
export const treeClasses: Readonly<Record<string, HostileClass>> = {
  symlink: { codes: ['symlink'], without: rule('symlink') },
  gitlink: { codes: ['gitlink'], without: rule('gitlink') },
  dots: { codes: ['bad-name'], without: rule('dots') },
  slash: { codes: ['bad-name'], without: rule('slash') },
  'dot-git': { codes: ['bad-name'], without: rule('dot-git') },
  option: { codes: ['bad-name'], without: rule('option') },
  character: { codes: ['bad-name', 'bad-character', 'bad-encoding'], without: rule('character') },
  length: { codes: ['bad-name'], without: rule('length') },
  again: { codes: ['twin-file'], without: rule('again') },
  twins: { codes: ['twin-file'], without: (guards) => trees(guards, () => ({ twins: () => [] })) },
  huge: { codes: ['unreadable', 'tree-too-large'], without: limits('fileBytes') },
  deep: { codes: ['tree-too-deep'], without: limits('folderDepth') },
  many: { codes: ['tree-too-large', 'unreadable'], without: limits('files', 'entries') },
  mode: { codes: ['bad-mode'], without: rule('mode') },
  object: { codes: ['unreadable'], without: (guards) => ({ ...guards, objects: [] }) },
  'user-data': { codes: ['user-data', 'bad-value'], without: rule('option') },
};

const url =
  (name: string) =>
  (guards: Guards): Guards => ({
    ...guards,
    urls: { ...guards.urls, rules: guards.urls.rules.filter((one) => one.name !== name) },
  });

/** Whatever stands there goes to git as it is. */
const anyForm = (guards: Guards): Guards => {
  const taken = (text: string) => ({ scheme: 'ssh', url: text, name: text, host: 'x', user: '', path: 'x' }) as const;
  return { ...guards, urls: { ...guards.urls, forms: [...guards.urls.forms, taken] } };
};

/** The guards with one check of addresses, of names or of folders off. */
export const withoutUrl = (name: string): HostileClass['without'] => (name === 'form' ? anyForm : url(name));

export const withoutName =
  (of: 'names' | 'paths', name: string) =>
  (guards: Guards): Guards => ({ ...guards, [of]: guards[of].filter((one) => one.name !== name) });
