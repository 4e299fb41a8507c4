import { notReady } from './conflicts.ts';
import { notFound } from './errors.ts';
import type { Instance } from './instance-records.ts';
import type { Asked, Context } from './method.ts';
import { pathTo } from './place.ts';

/** The instance of a path as a reader is told. */
export function seenInstance({ project }: Context, asked: Asked): Instance {
  const id = idOf(asked);
  const instance = project.instances.see(id);
  if (!instance) throw notFound(pathTo(project, id));
  return instance;
}

/** The instance of a path as a write finds it: at rest, for while an operation holds it nothing else may begin. */
export function targetInstance({ project }: Context, asked: Asked): Instance {
  const id = idOf(asked);
  const instance = project.instances.target(id);
  if (!instance) throw notFound(pathTo(project, id));
  if (project.held.has(id)) throw notReady(pathTo(project, id));
  return instance;
}

/** The variable is called `resource` in the paths of setDeletionProtection and setIamPolicy. */
function idOf({ at }: Asked): string {
  return `zones/${at['zone']}/instances/${at['instance'] ?? at['resource']}`;
}
