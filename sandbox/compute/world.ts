import type { Lag } from '../lag.ts';
import type { Verdict } from '../packet.ts';
import { seededRandom } from '../random.ts';
import { notFound } from './errors.ts';
import { explained, loadEstate } from './estate.ts';
import { PUBLIC_PROJECTS } from './images.ts';
import { DURATIONS, type Durations, makeProject, type Project, QUOTAS, type Quotas } from './project.ts';
import { mayReach, type PacketQuestion } from './reachability.ts';

/** Everything that every project holds, and what can be asked of it from behind the stage. */
export interface World {
  /** One project as it truly is. Throws the API's own `notFound` for one that does not exist. */
  project(id: string): Project;
  /** Adds an estate (its form: `estate.ts`) that every reader sees at once. */
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
  const known = new Map(checkedProjects([...PUBLIC_PROJECTS, ...(options.projects ?? DEFAULT_PROJECTS)]));
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
        imagesOf: (other) => (known.has(other) ? [...project(other).images.values()] : []),
      });
    projects.set(id, made);
    made.timeline.catchUp(lag.now());
    return made;
  };
  const imageProject = (id: string): Project => {
    for (const [each, place] of checkedProjects([{ id }])) if (!known.has(each)) known.set(each, place);
    return project(id);
  };
  return {
    project,
    load: (document) => lag.without(() => loadEstate(document, { project, imageProject }, lag.now())),
    packet: (id, question) =>
      mayReach(
        explained({ path: 'project' }, () => project(id)),
        question,
      ),
  };
}

/** Projects that exist. Whoever shows a bearer token, whichever, may do everything in each of them. */
interface ProjectOptions {
  readonly id: string;
  /** Default: made from the id. */
  readonly number?: string;
}

const DEFAULT_PROJECTS: readonly ProjectOptions[] = [{ id: 'acme-prod', number: '210987654321' }];

/** From 6 characters on, says https://docs.cloud.google.com/resource-manager/docs/creating-managing-projects; here from 4. */
const ID = /^[a-z][a-z0-9-]{2,28}[a-z0-9]$/;

function checkedProjects(options: readonly ProjectOptions[]): ReadonlyMap<string, Required<ProjectOptions>> {
  const known = new Map<string, Required<ProjectOptions>>();
  for (const { id, number = numberOf(id) } of options) {
    if (!ID.test(id))
      throw new RangeError(`project id must be 4 to 30 lower-case letters, digits and dashes, not ${id}`);
    if (!/^\d{6,19}$/.test(number)) throw new RangeError(`project number must be 6 to 19 digits, not ${number}`);
    known.set(id, { id, number });
  }
  return known;
}

function numberOf(id: string): string {
  let hash = 7;
  for (const letter of id) hash = (hash * 31 + letter.charCodeAt(0)) % 900_000_000_000;
  return String(100_000_000_000 + hash);
}
