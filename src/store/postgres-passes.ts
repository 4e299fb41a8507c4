import type { Passes } from '../ports/passes.ts';
import type { Context } from './context.ts';
import { inTime } from './health.ts';
import { beginPass, endPass } from './keep-passes.ts';
import { findPass, pagePasses, scopePasses } from './read-passes.ts';
import { pruneOld, prunePasses } from './retention.ts';

export function postgresPasses({ db, reading, clock }: Context): Passes {
  const prune = pruneOld(db, clock, 'passes');
  return {
    begin: (pass) => beginPass(db, pass),
    end: async (pass, ending) => {
      await endPass(db, pass, ending);
      await prunePasses(db, pass, ending.quiet);
      await prune();
    },
    page: (query) => inTime(pagePasses(reading, query)),
    find: (id, seen) => inTime(findPass(reading, id, seen)),
    scopes: (estate) => inTime(scopePasses(reading, estate)),
  };
}
