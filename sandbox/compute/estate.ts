import { type ProjectForm, readEstate } from './estate-form.ts';
import { explained, type Loading, within } from './estate-loading.ts';
import { loadNetwork } from './estate-network.ts';
import { loadMachines } from './instance-estate.ts';
import type { Project } from './project.ts';

/** Puts what a file says into the world, as if it had long been there. Throws a `JsonProblem` that says where. */
export function loadEstate(document: unknown, projectOf: (id: string) => Project, now: number): void {
  readEstate(document, '').projects.forEach((form, index) => {
    const path = `projects[${index}]`;
    const project = explained({ path }, () => projectOf(form.project));
    loadProject({ project, now, path }, form);
  });
}

function loadProject(loading: Loading, { networks = [], ...machines }: ProjectForm): void {
  networks.forEach((network, index) => {
    loadNetwork(within(loading, `networks[${index}]`), network);
  });
  loadMachines(loading, machines);
}
