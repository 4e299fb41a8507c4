import type { Lag } from '../lag.ts';
import type { Verdict } from '../packet.ts';
import { seededRandom } from '../random.ts';
import { DURATIONS, type Durations } from './durations.ts';
import { notFound } from './errors.ts';
import { loadEstate } from './estate.ts';
import { explained } from './estate-loading.ts';
import { PUBLIC_PROJECTS } from './images.ts';
import { makeProject, type Project } from './project.ts';
import { checkedProjects, DEFAULT_PROJECTS, type ProjectOptions } from './projects.ts';
import { QUOTAS, type Quotas } from './quotas.ts';
import { mayReach, type PacketQuestion } from './reachability.ts';

/** Everything that every project holds, and what can be asked of it from behind the stage. */
export interface World {
  /** One project as it truly is. Throws the API's own `notFound` for one that does not exist. */
  project(id: string): Project;
  /** Adds an estate (its form: `estate-form.ts`) that every reader sees at once. */
  load(document: unknown): void;
  /** May a packet go from one end to the other? */
  packet(project: string, question: PacketQuestion): Verdict;
}

export interface ComputeOptions {
  /** Default: `acme-prod` alone. */
  readonly projects?: readonly ProjectOptions[];
  readonly durations?: Partial<Durations>;
  readonly quotas?: Partial<Quotas>;
}

interface Setting {
  readonly seed: number;
  readonly lag: Lag;
}

export function makeWorld({ seed, lag, durations, quotas, ...options }: ComputeOptions & Setting): World {
  const known = checkedProjects([...PUBLIC_PROJECTS, ...(options.projects ?? DEFAULT_PROJECTS)]);
  const projects = new Map<string, Project>();
  const project = (id: string): Project => {
    const place = known.get(id);
    if (!place) throw notFound(`projects/${id}`);
    const made =
      projects.get(id) ??
      makeProject({
        ...place,
        createdAt: lag.now(),
        lag,
        random: seededRandom(seed, `compute/${id}`),
        durations: { ...DURATIONS, ...durations },
        quotas: { ...QUOTAS, ...quotas },
      });
    projects.set(id, made);
    made.timeline.catchUp(lag.now());
    return made;
  };
  return {
    project,
    load: (document) => lag.without(() => loadEstate(document, project, lag.now())),
    packet: (id, question) =>
      mayReach(
        explained({ path: 'project' }, () => project(id)),
        question,
      ),
  };
}
