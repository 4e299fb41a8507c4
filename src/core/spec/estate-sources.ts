import { z } from 'zod';
import { guarded } from './guarded.ts';
import { name } from './name-field.ts';
import { freeText, text } from './text-field.ts';

const forms =
  'a repository without a password in it: https://host/path, ssh://git@host/path, git@host:path, file:///path or /path';

const HOST = '[A-Za-z0-9](?:[A-Za-z0-9.-]{0,252}[A-Za-z0-9])?';
const PORT = '(?::\\d{1,5})?';
const USER = '(?:[A-Za-z0-9_][\\w.-]{0,63}@)?';
/** No step is `.` or `..`, is empty or begins with `-`, which some program on the way may take for an option. */
const STEPS = '(?:(?!\\.{1,2}(?:/|$))[\\w~.%+@][\\w~.%+@-]*(?:/|$))+';

/** What a `%` must not stand for: control characters, `.`, `/` and `\`. */
const ESCAPED = '(?!.*%(?:[01][\\da-fA-F]|2[eEfF]|5[cC]|7[fF]))';

/**
 * What git is given is one of these and nothing else: a transport by another name (`ext::sh`) would run a program, and
 * http:// tell the specs in clear. Whoever reads a spec would read a credential in it, so there is no place for one; git
 * has its own. https://git-scm.com/docs/git-clone#_git_urls
 */
const REPO = new RegExp(
  `^(?=.{1,512}$)${ESCAPED}(?:https://${HOST}${PORT}/${STEPS}|ssh://${USER}${HOST}${PORT}/${STEPS}|${USER}${HOST}:/?${STEPS}|(?:file://)?/${STEPS})$`,
);

const repo = (): z.ZodString => text(REPO, forms).register(guarded, { guards: 'address' });

/** What git itself allows of a branch, and less: https://git-scm.com/docs/git-check-ref-format */
const branch = (): z.ZodString =>
  text(
    /^(?=.{1,255}$)(?!.*(?:\.\.|\.lock(?:\/|$)|@\{|\.(?:\/|$)))[A-Za-z0-9_][\w.+@#-]*(?:\/[A-Za-z0-9_][\w.+@#-]*)*$/,
    'a branch, such as main',
  );

const folder = (): z.ZodString =>
  text(
    /^(?=.{1,512}$)(?:\.|[\w@+][\w.@+-]*(?:\/[\w@+][\w.@+-]*)*)$/,
    'a folder of the repository, such as specs, or . for all of it',
  );

const source = z.strictObject(
  {
    name: name().meta({ description: 'The team; its files are under @<name>/ in messages and positions.' }),
    repo: repo().meta({
      description: 'The repository, with no credential in it.',
      examples: ['https://git.acme.example/web.git', 'git@git.acme.example:web.git'],
    }),
    branch: branch().default('main').meta({ description: 'The branch to follow.' }),
    path: folder().default('specs').meta({ description: 'The folder of its specs.' }),
    owners: z
      .array(freeText(128), { error: 'a list of owners' })
      .min(1, { error: 'at least one owner' })
      .max(100, { error: 'at most 100 owners' })
      .meta({ description: 'What metadata.owner of each of its documents must be: one of these.' }),
  },
  { error: '{ name, repo, branch, path, owners }' },
);

/** Trees of teams beside the root's own. What they may hold is in `check/team-trees`. */
export const sources = () =>
  z.array(source, { error: 'a list of { name, repo, owners }' }).max(100, { error: 'at most 100 sources' });
